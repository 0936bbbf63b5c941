import { memo } from "react";
import type { TaskItem } from "../../../src/contract/api/values.ts";
import { formatCost, formatDuration } from "../../../src/contract/words/figures.ts";
import { taskKey } from "../api/tasks.ts";
import { cut, oneLine } from "../base/safe-text.ts";
import { address, Link } from "../router.tsx";
import { changedLines } from "../tasks/columns.ts";
import { Icon } from "../ui/icon.tsx";
import { Pill, StatePill } from "../ui/pill.tsx";

/** A task that was started is its conversation; before that it is what was written down. */
export const taskAddress = ({ project, task, run }: Pick<TaskItem, "project" | "task" | "run">): string =>
  run === "" ? address("tasks", project, task) : address("runs", run);

export const Card = memo(function Card({
  task,
  now,
  showProject,
}: {
  task: TaskItem;
  now: number;
  showProject: boolean;
}) {
  const { title, agent, branch, cost_usd, last_line, state } = task;
  return (
    <article
      className={`card ${state}`}
      draggable
      data-task={taskKey(task)}
      onDragStart={(event) => {
        event.dataTransfer.setData("text/plain", taskKey(task));
        event.dataTransfer.effectAllowed = "move";
      }}
    >
      <Link className="card-title" to={taskAddress(task)} draggable={false}>
        {cut(oneLine(title), 160)}
      </Link>
      <Marks task={task} />
      {last_line && last_line !== task.reason && (
        <p className="card-line">{cut(oneLine(last_line).replace(/\*\*|`/g, ""), 200)}</p>
      )}
      <footer className="card-foot">
        <span>{agent === "" ? "any agent" : agent}</span>
        {showProject && <span>{task.project}</span>}
        {branch && (
          <span className="card-branch" title={branch}>
            <Icon name="branch" size={12} />
            {cut(branch, 40)}
          </span>
        )}
        <DiffStat text={task.diff_stat} />
        {cost_usd !== undefined && cost_usd > 0 && <span>{formatCost(cost_usd)}</span>}
        <Elapsed task={task} now={now} />
      </footer>
    </article>
  );
});

/** What its column doesn't say. */
function Marks({ task: { state, position, blocked_by, reason, requests } }: { task: TaskItem }) {
  if (state === "queued")
    return <Pill tone="calm" icon="clock">{`Queued${position ? ` · number ${position}` : ""}`}</Pill>;
  if (state === "blocked")
    return (
      <Pill tone="calm" icon="lock">
        {cut(`After ${blocked_by.join(", ") || "another task"}`, 80)}
      </Pill>
    );
  if (state === "waiting" && requests > 1) return <Pill tone="wait" icon="ask">{`${requests} requests`}</Pill>;
  // What ended badly is looked at too; its column doesn't say how it ended.
  if (state === "review" && reason !== "")
    return (
      <p className="card-reason bad">
        <Icon name="warn" size={12} /> {cut(oneLine(reason), 120)}
      </p>
    );
  if (state !== "failed" && state !== "cancelled") return null;
  return (
    <div className="card-marks">
      <StatePill state={state} />
      {reason !== "" && <span className="card-reason">{cut(oneLine(reason), 120)}</span>}
    </div>
  );
}

/** `3 files, +10 −2`, with the numbers in their colours; nothing where nothing changed. */
export function DiffStat({ text }: { text: string | undefined }) {
  const lines = changedLines(text ?? "");
  if (lines === undefined) return null;
  return (
    <span className="diff-stat" title={text}>
      <span className="added">+{lines.added}</span> <span className="removed">−{lines.removed}</span>
    </span>
  );
}

function Elapsed({ task: { started, ended, live }, now }: { task: TaskItem; now: number }) {
  if (started === undefined || (now === 0 && (live || ended === undefined))) return null;
  const end = ended !== undefined && !live ? Date.parse(ended) : now;
  return <span className="card-time">{formatDuration(end - Date.parse(started))}</span>;
}
