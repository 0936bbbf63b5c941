import { join } from "node:path";
import type { TaskState, TaskSummary } from "../../contract/tasks/task.ts";
import type { TaskFile } from "../../contract/tasks/task-file.ts";
import { readProgress } from "../store/bus/lifecycle.ts";
import { listTasks } from "../store/find-task.ts";
import { type Home, taskFolder } from "../store/home.ts";
import { readClaims } from "../store/runs/claims.ts";
import { readTaskFile, type TaskRef } from "../store/task-file.ts";

export async function summarize(home: Home, ref: TaskRef): Promise<TaskSummary> {
  return summaryOf(home, ref, await readTaskFile(home, ref));
}

export function summaryOf(home: Home, ref: TaskRef, file: TaskFile | undefined): TaskSummary {
  const { made: _, ...progress } = readProgress(home, ref.project, ref.task);
  return {
    ...ref,
    ...progress,
    title: file?.title ?? progress.title,
    agent: file?.agent ?? "",
    priority: file?.priority ?? 0,
    depends_on: file?.depends_on ?? [],
    created: file?.created ?? "",
  };
}

export async function summaries(home: Home, wanted: { project?: string; state?: TaskState }): Promise<TaskSummary[]> {
  const all: TaskSummary[] = [];
  for (const ref of listTasks(home, wanted.project)) {
    const summary = await summarize(home, ref);
    if (wanted.state === undefined || summary.state === wanted.state) all.push(summary);
  }
  return all;
}

/** Runs of this task whose hosts have not finished, or were lost and not yet healed. */
export function liveRuns(home: Home, { project, task }: TaskRef): string[] {
  const runs = join(taskFolder(home, project, task), "runs");
  return readClaims(home).flatMap(({ runId, claim }) => (claim?.dir === join(runs, runId) ? [runId] : []));
}
