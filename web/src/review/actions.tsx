import type { FileChangeItem } from "../../../src/contract/api/workspace.ts";
import { plural } from "../../../src/contract/words/figures.ts";
import { server } from "../api/client.ts";
import { useApi } from "../api/query.ts";
import { clockTime } from "../base/times.ts";
import { ask } from "../ui/ask.tsx";
import { Button } from "../ui/button.tsx";
import { attempt, say } from "../ui/toast.tsx";
import { type UndoTo, undoWork } from "./undo-work.ts";

/** What is done with the work as a whole. Each asks first. */
export function ReviewActions({
  run,
  files,
  checkpoints,
  redo,
  onDone,
}: {
  run: string;
  files: readonly FileChangeItem[];
  checkpoints: readonly { n: number; at: string }[];
  redo: boolean;
  onDone: () => void;
}) {
  const { data: workspace } = useApi("GET /runs/{run}/workspace", { params: { run } });
  const params = { run };
  const commit = async () => {
    const message = await ask({
      title: "Commit",
      text: `${plural(files.length, "file")} on ${workspace?.branch ?? "this branch"}.`,
      yes: "Commit",
      input: { label: "Message", required: true },
    });
    if (message === undefined) return;
    const body = { message, paths: files.map(({ path }) => path) };
    await attempt(server.call("POST /runs/{run}/workspace/commit", { params, body }), "Committed.");
    onDone();
  };
  const pull = async () => {
    const title = await ask({
      title: "Open a pull request",
      text: `Pushes ${workspace?.branch ?? "the branch"} and opens a pull request with gh.`,
      yes: "Push and open",
      input: { label: "Title", required: true, line: "text" },
    });
    if (title === undefined) return;
    const opening = server.call("POST /runs/{run}/workspace/pull-request", { params, body: { title } });
    await attempt(opening.then(({ url }) => say(`Opened ${url}`)));
  };
  const merge = async () => {
    const sure = await ask({
      title: "Merge",
      text: `Brings ${workspace?.branch ?? "the branch"} into ${workspace?.base_branch ?? "its base"}.`,
      yes: "Merge",
    });
    if (sure === undefined) return;
    const merging = server.call("POST /runs/{run}/workspace/merge", { params });
    await attempt(merging.then(({ into }) => say(`Merged into ${into}.`)));
    onDone();
  };
  const undo = async (to: UndoTo) => {
    await attempt(undoWork(run, to));
    onDone();
  };
  return (
    <div className="row wrap">
      {checkpoints.length > 0 && (
        <select
          className="option"
          aria-label="Undo"
          value=""
          onChange={(event) => void undo(event.target.value === "redo" ? "redo" : Number(event.target.value))}
        >
          <option value="" disabled>
            Undo…
          </option>
          {checkpoints.map(({ n, at }) => (
            <option key={n} value={n}>
              {n === 0 ? "All that the run did" : `What it did after turn ${n}`}, {clockTime(at)}
            </option>
          ))}
          {redo && <option value="redo">Take the last undo back</option>}
        </select>
      )}
      {workspace?.git && files.length > 0 && <Button onClick={() => void commit()}>Commit…</Button>}
      {workspace?.worktree && <Button onClick={() => void merge()}>Merge…</Button>}
      {workspace?.gh && <Button onClick={() => void pull()}>Pull request…</Button>}
    </div>
  );
}
