import { lifecycleId } from "../../../contract/bus.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import {
  advanceTask,
  type TaskChange,
  type TaskProgress,
  type TaskState,
  untouched,
} from "../../../contract/tasks/task.ts";
import type { Home } from "../home.ts";
import { appendMessage, busPath } from "./bus.ts";
import { messagesBackward, readLifecycle } from "./bus-reader.ts";

type RunRef = Pick<RunInfo, "run_id" | "project_id" | "task_id">;

/** RUN_START. `title` names a task that has no task.yaml. */
export function postRunStart(
  home: Home,
  info: RunInfo,
  { review, resumed, title }: { review: boolean | "changes"; resumed: boolean; title: string },
  now: number,
): void {
  const { agent, parent_run_id: parent, previous_run_id: previous } = info;
  post(home, info, now, {
    id: lifecycleId(info.run_id, "start"),
    type: "RUN_START",
    body: `${agent} started`,
    data: { review, resumed, title, agent, parent: parent || undefined, previous: previous || undefined },
  });
}

/**
 * RUN_STOP for a run that completed, RUN_CRASH for any other end, with the reason. `more`: a loop goes on with another
 * attempt, so the task has not ended. `unchanged`: there is nothing to review.
 */
export function postRunEnd(
  home: Home,
  info: RunInfo,
  now: number,
  { more = false, unchanged = false }: { more?: boolean; unchanged?: boolean } = {},
): void {
  const { status, reason, exit_code, error_summary: error } = info;
  const completed = status === "completed";
  post(home, info, now, {
    id: lifecycleId(info.run_id, "stop"),
    type: completed ? "RUN_STOP" : "RUN_CRASH",
    body: completed ? `completed, exit code ${exit_code}` : `failed: ${reason}, exit code ${exit_code}: ${error}`,
    data: {
      status,
      reason,
      exit_code,
      error: error || undefined,
      more: more || undefined,
      unchanged: unchanged || undefined,
    },
  });
}

/** For whoever completes the record of a lost run: only what its host had not posted. Two at once leave two, of which readers see one. */
export function postMissingEnds(home: Home, info: RunInfo, now: number): void {
  const [start, stop] = [lifecycleId(info.run_id, "start"), lifecycleId(info.run_id, "stop")];
  const known = recentIds(busPath(home, info.project_id, info.task_id));
  if (!known.has(start) && !known.has(stop)) {
    postRunStart(home, info, { review: false, resumed: false, title: "" }, now);
  }
  if (!known.has(stop)) postRunEnd(home, info, now);
}

/** A run ends near the end of its task's bus. */
const RECENT = 5000;

function recentIds(path: string): Set<string> {
  const ids = new Set<string>();
  for (const { message } of messagesBackward(path)) if (ids.add(message.id).size >= RECENT) break;
  return ids;
}

/** TASK_STATE: one transition of a task, caused by a run's event or by a person. Returns the record's id. */
export function postTaskChange(
  home: Home,
  at: { project: string; task: string; run?: string },
  change: TaskChange,
  now: number,
): string {
  const { to, cause, reason } = change;
  const body = reason ? `${to} (${cause}): ${reason}` : `${to} (${cause})`;
  const draft = { ...at, type: "TASK_STATE", body, data: { ...change, run: at.run } };
  return appendMessage(busPath(home, at.project, at.task), draft, now).id;
}

export function readProgress(home: Home, project: string, task: string): TaskProgress {
  return readLifecycle(busPath(home, project, task)).reduce(advanceTask, untouched);
}

/** The states a task has been in, one after the other. */
export function statesOf(home: Home, project: string, task: string): TaskState[] {
  let progress = untouched;
  const states: TaskState[] = [progress.state];
  for (const message of readLifecycle(busPath(home, project, task))) {
    progress = advanceTask(progress, message);
    if (states.at(-1) !== progress.state) states.push(progress.state);
  }
  return states;
}

/** Whether the record with this id moved its task, or others were first and it came too late. */
export function tookEffect(home: Home, project: string, task: string, id: string): boolean {
  let progress = untouched;
  for (const message of readLifecycle(busPath(home, project, task))) {
    const next = advanceTask(progress, message);
    if (message.id === id) return next !== progress;
    progress = next;
  }
  return false;
}

function post(
  home: Home,
  { run_id: run, project_id: project, task_id: task }: RunRef,
  now: number,
  { id, type, body, data }: { id: string; type: string; body: string; data: Record<string, unknown> },
): void {
  appendMessage(busPath(home, project, task), { id, type, project, task, run, body, data }, now);
}
