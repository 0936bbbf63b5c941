import { renameSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { movesFrom, type TaskCause, type TaskProgress, type TaskState } from "../../contract/tasks/task.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { randomBytes } from "../../lib/base/crypto.ts";
import { createFileExclusive } from "../../lib/files/atomic-file.ts";
import { diskError } from "../../lib/files/disk-error.ts";
import { removeTree } from "../../lib/files/tree/remove-tree.ts";
import { postTaskChange, readProgress, tookEffect } from "../store/bus/lifecycle.ts";
import { listTasks, runIdsOf } from "../store/find-task.ts";
import { type Home, projectFolder, taskFolder } from "../store/home.ts";
import { appendLedger } from "../store/ledger/ledger.ts";
import { readTaskFile, type TaskRef, taskName } from "../store/task-file.ts";
import { dependencyRef } from "./dependencies.ts";
import { removeEntries } from "./queue/queue-entries.ts";
import { stopRuns } from "./stop-runs.ts";
import { liveRuns } from "./task.ts";

export interface Doing {
  by: string;
  clock: Clock;
}

/** One transition that a person, or the queue, causes. Refused when the task is not where it could happen. */
export function changeTask(
  home: Home,
  ref: TaskRef,
  cause: TaskCause,
  { by, clock, reason }: Doing & { reason?: string },
): void {
  const before = readProgress(home, ref.project, ref.task);
  const [to] = movesFrom(before.state, cause);
  if (to === undefined) throw refused(ref, cause, before);
  const id = postTaskChange(home, ref, { to, cause, by, reason }, clock.now());
  if (tookEffect(home, ref.project, ref.task, id)) return;
  throw refused(ref, cause, readProgress(home, ref.project, ref.task));
}

/** Ends the task's run, or takes it from the queue; it can be resumed. */
export async function stopTask(home: Home, ref: TaskRef, doing: Doing): Promise<void> {
  const progress = readProgress(home, ref.project, ref.task);
  const { state } = progress;
  if (state === "queued" || state === "blocked") return dequeueTask(home, ref, doing);
  // Said before it is done: the end of the run finds the task stopped, and so is not its failure.
  if (state === "in_progress" || state === "waiting") changeTask(home, ref, "stop", doing);
  else if (liveRuns(home, ref).length === 0) throw refused(ref, "stop", progress);
  await stopRuns(home, ref, doing);
}

export function dequeueTask(home: Home, ref: TaskRef, doing: Doing): void {
  removeEntries(home, ref);
  changeTask(home, ref, "dequeue", doing);
}

/** A person says that it is done. A loop that works on it sees the same from the DONE file. */
export async function finishTask(home: Home, ref: TaskRef, doing: Doing): Promise<void> {
  changeTask(home, ref, "finish", doing);
  createFileExclusive(join(taskFolder(home, ref.project, ref.task), "DONE"), "");
  removeEntries(home, ref);
  await stopRuns(home, ref, doing);
}

/** For good: a cancelled task doesn't come back. */
export async function cancelTask(home: Home, ref: TaskRef, doing: Doing & { reason?: string }): Promise<void> {
  changeTask(home, ref, "cancel", doing);
  removeEntries(home, ref);
  await stopRuns(home, ref, doing);
}

/** How the folder of one that is being deleted begins: cut off there, the rest of it is for `cox gc`. */
export const DELETED_TASK = ".deleted-";

/** The folder with all its runs. Never of a task that runs; `force` is for one that somebody still waits for. */
export async function deleteTask(
  home: Home,
  ref: TaskRef,
  { force, at }: { force: boolean; at: string },
): Promise<void> {
  const { state } = readProgress(home, ref.project, ref.task);
  if (liveRuns(home, ref).length > 0)
    throw new AppError(
      "task.state",
      `task ${taskName(ref)}: still runs; stop it first: cox task stop ${taskName(ref)}`,
    );
  const waiting = force ? [] : await waitingFor(home, ref, state);
  if (waiting.length > 0) {
    throw new AppError(
      "task.state",
      `task ${taskName(ref)}: ${waiting.join("; ")}; delete it all the same with --force`,
    );
  }
  removeEntries(home, ref);
  for (const runId of runIdsOf(home, ref)) appendLedger(home, { type: "gone", run_id: runId, at });
  const folder = taskFolder(home, ref.project, ref.task);
  // Out of sight at once; a half deleted task is nobody's task.
  const doomed = join(projectFolder(home, ref.project), `${DELETED_TASK}${ref.task}-${randomBytes(4).toString("hex")}`);
  try {
    renameSync(folder, doomed);
  } catch (error) {
    throw diskError("delete task", folder, error);
  }
  removeTree(doomed);
}

async function waitingFor(home: Home, ref: TaskRef, state: TaskState): Promise<string[]> {
  const reasons = state === "queued" || state === "blocked" || state === "review" ? [`is ${state}`] : [];
  for (const other of listTasks(home)) {
    if (taskName(other) === taskName(ref)) continue; // nothing in its own file can keep it, however it is written
    const file = await readTaskFile(home, other);
    const names = (file?.depends_on ?? []).map((name) => taskName(dependencyRef(name, other.project)));
    if (names.includes(taskName(ref))) reasons.push(`${taskName(other)} depends on it`);
  }
  return reasons;
}

export function refused(ref: TaskRef, cause: TaskCause, { state, run, live }: TaskProgress): AppError {
  const running = live ? ` (run ${run})` : "";
  return new AppError(
    "task.state",
    `task ${taskName(ref)}: is ${state}${running}, so it can't ${words[cause] ?? cause}`,
    {
      state,
    },
  );
}

const words: Partial<Record<TaskCause, string>> = {
  enqueue: "be queued",
  dequeue: "be taken from the queue",
  start: "be started",
  resume: "be resumed",
  stop: "be stopped",
  finish: "be set to done",
  send_back: "be sent back",
  cancel: "be cancelled",
};
