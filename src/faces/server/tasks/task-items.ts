import type { TaskItem } from "../../../contract/api/values.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import type { TaskState, TaskSummary } from "../../../contract/tasks/task.ts";
import { statesOf } from "../../../core/store/bus/lifecycle.ts";
import { type Home, runFolder } from "../../../core/store/home.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { readRunInfo } from "../../../core/store/runs/run-info.ts";
import { taskName } from "../../../core/store/task-file.ts";
import { dependencyRef } from "../../../core/tasks/dependencies.ts";
import { previewOf } from "../runs/run-preview.ts";

/** What is read once for a whole list. */
export interface ListContext {
  /** `project/task` → place in the queue. */
  positions: ReadonlyMap<string, number>;
  stateOf(name: string): TaskState | undefined;
}

/** A task as the board shows it: where it stands, and what its run says of itself. */
export function taskItem(home: Home, summary: TaskSummary, context: ListContext): TaskItem {
  const { project, task, run, state } = summary;
  const info = run === "" ? undefined : readRunInfo(runPaths(runFolder(home, project, task, run)).info);
  const ended = state === "failed" || state === "cancelled";
  return {
    ...summary,
    depends_on: [...summary.depends_on],
    blocked_by: summary.depends_on.filter((name) => context.stateOf(taskName(dependencyRef(name, project))) !== "done"),
    created: summary.created || info?.start_time || summary.since,
    from_state: ended ? stateBefore(home, summary) : undefined,
    position: context.positions.get(taskName(summary)) || undefined,
    requests: 0,
    ...(info === undefined ? {} : ofRun(home, info, summary)),
  };
}

/** A task that failed or was cancelled stays in the column it left. */
function stateBefore(home: Home, { project, task, state }: TaskSummary): TaskState {
  return statesOf(home, project, task).findLast((each) => each !== state) ?? "todo";
}

function ofRun(home: Home, info: RunInfo, { agent }: TaskSummary) {
  const { events } = runPaths(runFolder(home, info.project_id, info.task_id, info.run_id));
  const { phase, requests, lastLine } = previewOf(events, info.status === "running");
  return {
    agent: info.agent || agent,
    phase,
    requests,
    started: info.start_time,
    model: info.model || undefined,
    branch: info.branch || undefined,
    diff_stat: info.diff_stat || undefined,
    cost_usd: info.cost_usd,
    ended: info.end_time || undefined,
    last_line: lastLine || info.error_summary || undefined,
  };
}
