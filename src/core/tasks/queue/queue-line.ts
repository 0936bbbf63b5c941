import { AppError } from "../../../contract/errors.ts";
import { readProgress } from "../../store/bus/lifecycle.ts";
import type { Home } from "../../store/home.ts";
import { readTaskFile, type TaskRef, taskName } from "../../store/task-file.ts";
import { changeTask, type Doing } from "../change.ts";
import { inOrder } from "./queue.ts";
import { addEntry, entriesOf, type QueueEntry, readEntries } from "./queue-entries.ts";

export interface QueuedTask extends Pick<QueueEntry, "project" | "task" | "priority" | "at" | "by"> {
  status: "running" | "waiting" | "blocked";
  /** 1 is next; 0 for one that runs or can't be started yet. */
  position: number;
  reason: string;
}

/** The queue as people see it: what runs, then the others in the order they will start, then those that are blocked. */
export function queueLine(home: Home): QueuedTask[] {
  const entries = readEntries(home);
  const running = entries.filter(({ holder }) => holder !== undefined);
  const blocked = new Map<QueueEntry, string>();
  for (const entry of entries) {
    if (entry.holder !== undefined) continue;
    const { state, reason } = readProgress(home, entry.project, entry.task);
    if (state === "blocked") blocked.set(entry, reason);
  }
  const waiting = entries.filter((entry) => entry.holder === undefined && !blocked.has(entry));
  return [
    ...running.map((entry) => queued(entry, "running", 0, "")),
    ...inOrder(waiting, running, []).map((entry, index) => queued(entry, "waiting", index + 1, "")),
    ...[...blocked].map(([entry, reason]) => queued(entry, "blocked", 0, reason)),
  ];
}

/** Returns its position, or 0 when it is blocked. */
export async function enqueueTask(home: Home, ref: TaskRef, doing: Doing): Promise<number> {
  const file = await readTaskFile(home, ref);
  if (file === undefined) {
    throw new AppError(
      "task.invalid",
      `task ${taskName(ref)}: has no prompt of its own, so it can't be started from the queue`,
    );
  }
  if (entriesOf(home, ref).length > 0) {
    throw new AppError("task.state", `task ${taskName(ref)}: is in the queue already; \`cox queue ls\` shows where`);
  }
  // A task whose entry was lost (its maker was killed in between) is queued again. The record comes first: a worker that
  // finds an entry whose task isn't queued clears it away.
  const { state } = readProgress(home, ref.project, ref.task);
  if (state !== "queued" && state !== "blocked") changeTask(home, ref, "enqueue", doing);
  addEntry(home, { ...ref, priority: file.priority, by: doing.by }, doing.clock.now());
  return queueLine(home).find(({ project, task }) => project === ref.project && task === ref.task)?.position ?? 0;
}

function queued(entry: QueueEntry, status: QueuedTask["status"], position: number, reason: string): QueuedTask {
  const { project, task, priority, at, by } = entry;
  return { project, task, priority, at, by, status, position, reason };
}
