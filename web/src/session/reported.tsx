import type { FileDiff } from "../../../src/contract/events.ts";
import { beginningOf } from "../../../src/contract/words/content.ts";
import { cut, oneLine } from "../base/safe-text.ts";
import { useStore } from "../base/store.ts";
import { DiffView } from "../text/diff-view.tsx";
import type { Row } from "../transcript/rows.ts";
import { Empty } from "../ui/parts.tsx";
import type { Conversation } from "./conversation.ts";
import "../style/inbox.css";

/** The changes as the agent reported them, where there is no git to compare with. */
export function Reported({ conversation }: { conversation: Conversation }) {
  const { folded, version } = useStore(conversation.view);
  void version;
  const diffs = folded.rows.flatMap(diffsOf);
  return (
    <div className="session-body">
      <p className="notice">
        The folder is no git repository, so nothing can be compared or undone. These are the edits as the agent reported
        them.
      </p>
      {diffs.length === 0 ? (
        <Empty icon="check" title="No edits were reported" />
      ) : (
        diffs.map((diff, i) => (
          <figure key={i} className="request-diff reported">
            <figcaption>
              {cut(oneLine(diff.path), 200)} <span className="muted">{diff.change}</span>
            </figcaption>
            <DiffView unified={beginningOf(diff.unified)} path={diff.path} />
          </figure>
        ))
      )}
    </div>
  );
}

function diffsOf(row: Row): FileDiff[] {
  if (row.kind !== "item" || row.item.kind !== "tool") return [];
  const { tool } = row.item;
  return tool.toolStatus === "completed" ? (tool.diffs ?? []) : [];
}
