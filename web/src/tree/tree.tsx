import { useMemo } from "react";
import { useApi } from "../api/query.ts";
import { address, go } from "../router.tsx";
import { Lines } from "../tasks/run-tree.tsx";
import { Empty, Loaded, Screen } from "../ui/parts.tsx";
import "../style/session.css";

/** A project's runs: who started whom, and which attempt followed which. */
export function TreeScreen({ project }: { project: string }) {
  const projects = useApi("GET /projects", {});
  const shown = project || projects.data?.items[0]?.project || "";
  const query = useMemo(() => (shown === "" ? undefined : { query: { project: shown, limit: 300 } }), [shown]);
  const runs = useApi("GET /runs", query);
  const choose = (
    <select
      aria-label="Project"
      className="board-choice"
      value={shown}
      onChange={(event) => go(address("tree", event.target.value))}
    >
      {projects.data?.items.map((item) => (
        <option key={item.project}>{item.project}</option>
      ))}
    </select>
  );
  return (
    <Screen title="Tree" actions={shown === "" ? null : choose}>
      {shown === "" && !projects.loading ? (
        <Empty icon="tree" title="No runs yet">
          When agents start other agents, the tree shows who started whom.
        </Empty>
      ) : (
        <Loaded answer={runs} lines={8}>
          {({ items, next }) => (
            <>
              <Lines items={items} />
              {next !== undefined && <p className="muted">Only the latest 300 are shown.</p>}
            </>
          )}
        </Loaded>
      )}
    </Screen>
  );
}
