import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isName } from "../../../contract/ids.ts";
import { randomBytes } from "../../../lib/base/crypto.ts";
import { createFileExclusive } from "../../../lib/files/atomic-file.ts";
import { diskError, errnoOf } from "../../../lib/files/disk-error.ts";
import type { Holder } from "../../../lib/files/holding/holder.ts";
import { freeName, holderIn, moveFile, takeFile } from "../../../lib/files/holding/taken-file.ts";
import { ourselves } from "../../../lib/process/holders/holder.ts";
import type { Home } from "../../store/home.ts";
import type { TaskRef } from "../../store/task-file.ts";
import type { Waiting } from "./queue.ts";

/**
 * One file per entry, `queue/<order>-<id>.json`: created at once with all it says, claimed by a worker that renames it to its
 * own name, removed when its run has ended. So nothing is ever read, changed and written back.
 */
export interface QueueEntry extends Waiting, TaskRef {
  at: string;
  by: string;
  file: string;
  /** The worker that took it; `undefined` while it waits. */
  holder: Holder | undefined;
}

export const queueFolder = (home: Home): string => join(home.root, "queue");

export function addEntry(home: Home, entry: TaskRef & { priority: number; by: string }, now: number): void {
  const folder = queueFolder(home);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("queue", folder, error);
  }
  const { project, task, priority, by } = entry;
  const content = JSON.stringify({ project, task, priority, by, at: new Date(now).toISOString() });
  while (!createFileExclusive(join(folder, `${orderOf(now)}-${randomBytes(4).toString("hex")}.json`), content));
}

let counter = 0;

/** Padded, so that names sort by time; the counter keeps the order of one process within a millisecond. */
function orderOf(now: number): string {
  counter += 1;
  return `${String(now).padStart(14, "0")}${String(counter % 10_000).padStart(4, "0")}`;
}

/** In order of arrival. A file that is no entry is passed over. */
export function readEntries(home: Home): QueueEntry[] {
  return namesIn(queueFolder(home)).flatMap((name) => {
    const order = /^(\d+-[0-9a-f]+)\.json(?:\.[\w-]+)?$/.exec(name)?.[1];
    const file = join(queueFolder(home), name);
    const content = order === undefined ? undefined : readEntry(file);
    if (order === undefined || content === undefined) return [];
    return [{ ...content, order, file, holder: holderIn(name, ourselves()) }];
  });
}

export function entriesOf(home: Home, ref: TaskRef): QueueEntry[] {
  return readEntries(home).filter(({ project, task }) => project === ref.project && task === ref.task);
}

/** Of several workers one gets it: `undefined` when this one did not. */
export function claimEntry(entry: QueueEntry, worker: Holder): QueueEntry | undefined {
  const file = movingEntry(entry, () => takeFile(entry.file, worker));
  return file === undefined ? undefined : { ...entry, file, holder: worker };
}

/** Back to where it stood in the line. */
export function returnEntry(entry: QueueEntry): boolean {
  return movingEntry(entry, () => moveFile(entry.file, freeName(entry.file)));
}

function movingEntry<T>({ file }: QueueEntry, move: () => T): T {
  try {
    return move();
  } catch (error) {
    throw diskError("move queue entry", file, error);
  }
}

/** `false` when somebody else had removed or claimed it. */
export function dropEntry(entry: QueueEntry): boolean {
  try {
    rmSync(entry.file);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** A task that is stopped, cancelled or deleted no longer waits; one that a worker took is the worker's to clear. */
export function removeEntries(home: Home, ref: TaskRef): void {
  for (const entry of entriesOf(home, ref)) if (entry.holder === undefined) dropEntry(entry);
}

/** How long ago it was claimed or returned: a rename changes nothing else. */
export function heldSince(entry: QueueEntry): number {
  return statSync(entry.file, { throwIfNoEntry: false })?.ctimeMs ?? Number.NaN;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

function readEntry(path: string): (TaskRef & { priority: number; at: string; by: string }) | undefined {
  const value = parse(path);
  const { project, task, priority, at, by } = value ?? {};
  if (typeof project !== "string" || typeof task !== "string" || !isName(project) || !isName(task)) return undefined;
  return {
    project,
    task,
    priority: typeof priority === "number" ? priority : 0,
    at: typeof at === "string" ? at : "",
    by: typeof by === "string" ? by : "",
  };
}

function parse(path: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined; // gone meanwhile, or damaged: no entry either way
  }
}
