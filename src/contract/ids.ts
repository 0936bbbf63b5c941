import { AppError } from "./errors.ts";

/** `YYYYMMDD-HHMMSSmmmm-<pid>-<seq>`: UTC, tenths of a millisecond; padded, so that names sort by time. */
const RUN_ID = /^\d{8}-\d{10}-\d{7,}-\d{4,}$/;
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const isRunId = (text: string): boolean => RUN_ID.test(text);

/** Project, task, profile and agent names become folder names, so they are kept narrow. */
export const isName = (text: string): boolean => NAME.test(text) && !text.includes("..");

/** `r12`. A run's number is never given to another one. */
const HANDLE = /^r([1-9]\d{0,8})$/;

/** The number in `r12`; `undefined` when this is no such name. */
export function handleIn(text: string): number | undefined {
  const number = HANDLE.exec(text)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** What means a run wherever one is named, and so can't be a task's name. */
export const isRunName = (text: string): boolean => text === "latest" || handleIn(text) !== undefined;

/** What a run is called before people. One that was made before runs had numbers is called by its id. */
export const runName = ({ handle = 0, run_id }: { handle?: number; run_id: string }): string =>
  handle > 0 ? `r${handle}` : run_id;

/** `r12.p0` */
export const requestName = (run: { handle?: number; run_id: string }, pendingId: string): string =>
  `${runName(run)}.${pendingId}`;

/** Beside the tasks of a project lie the files of its own bus, and its budget. */
const TAKEN_IN_PROJECT = new Set(["blobs", "bus.jsonl", "budget.yaml"]);

export function requireName(kind: "project" | "task" | "profile" | "agent", text: string): string {
  if (kind === "task" && TAKEN_IN_PROJECT.has(text)) {
    throw new AppError(
      "id.invalid",
      `task ${JSON.stringify(text)}: the project's own files are called so; choose another`,
    );
  }
  if (isName(text)) return text;
  throw new AppError(
    "id.invalid",
    `${kind} ${JSON.stringify(shorten(text))}: not a valid name; use 1 to 64 of a-z, 0-9, ".", "_", "-", beginning with a letter or digit`,
  );
}

/** A name made of free text: a folder, a branch or a title becomes a project or task. */
export function slug(text: string, max = 40): string {
  const plain = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, max)
    .replace(/^-+|-+$/g, "");
  return plain === "" ? "unnamed" : plain;
}

/** `task-YYYYMMDD-HHMMSS-slug`, as people sort them. */
export function newTaskName(prompt: string, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `task-${stamp}-${slug(prompt.split("\n")[0] ?? "", 30)}`;
}

export function shorten(text: string, max = 60): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
