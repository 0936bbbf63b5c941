import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { isName, requireName } from "../../../contract/ids.ts";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { diskError, errnoOf } from "../../../lib/files/disk-error.ts";
import { withLock } from "../../../lib/process/holders/lock.ts";

/** What is known of a task's worktree, in a file beside it. */
export interface WorktreeRecord {
  version: 1;
  project: string;
  task: string;
  path: string;
  /** The checkout it was made from. */
  repository: string;
  /** The git directory that all worktrees share. */
  common_dir: string;
  branch: string;
  /** The branch it began at and goes back to; "" when it began at a commit. */
  base_branch: string;
  base_commit: string;
  created_at: string;
  /** Files were copied and the set-up script succeeded; else that is done again at the next start. */
  ready: boolean;
}

export interface WorktreePlace {
  path: string;
  record: string;
  lock: string;
}

/** The names of a task never begin with a dot, so the files beside the worktrees can't be taken for one. */
export function worktreePlace(home: string, project: string, task: string): WorktreePlace {
  const folder = join(worktreesFolder(home), requireName("project", project));
  const name = requireName("task", task);
  return { path: join(folder, name), record: join(folder, `.${name}.json`), lock: join(folder, `.${name}.lock`) };
}

/** As it really is: git knows worktrees by their real path. */
function worktreesFolder(home: string): string {
  const folder = join(home, "worktrees");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return realpathSync(folder);
  } catch (error) {
    throw diskError("open the folder of worktrees", folder, error);
  }
}

const LOCK_WAIT_MS = 15 * 60_000;

/** Long enough for another's set-up script. */
export function exclusively<T>(place: WorktreePlace, work: () => Promise<T>): Promise<T> {
  mkdirSync(join(place.path, ".."), { recursive: true, mode: 0o700 });
  return withLock(place.lock, work, { waitMs: LOCK_WAIT_MS });
}

export function writeRecord(place: WorktreePlace, record: WorktreeRecord): void {
  writeFileAtomic(place.record, `${JSON.stringify(record)}\n`);
}

export function deleteRecord(place: WorktreePlace): void {
  rmSync(place.record, { force: true });
}

export function findWorktree(home: string, project: string, task: string): WorktreeRecord | undefined {
  const place = worktreePlace(home, project, task);
  const record = readRecord(place.record);
  if (record === undefined) return undefined;
  // The file decides nothing about where we work: names do.
  if (record.path === place.path && record.project === project && record.task === task) return record;
  throw new AppError("store.damaged", `${place.record}: does not belong to this task; move it away`);
}

export function listWorktrees(home: string): WorktreeRecord[] {
  const folder = worktreesFolder(home);
  return namesIn(folder)
    .filter(isName)
    .flatMap((project) =>
      namesIn(join(folder, project)).flatMap((file) => {
        const task = /^\.(.+)\.json$/.exec(file)?.[1] ?? "";
        return isName(task) ? (findWorktree(home, project, task) ?? []) : [];
      }),
    );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return [];
    throw error;
  }
}

function readRecord(file: string): WorktreeRecord | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const record = parse(text);
  if (record !== undefined) return record;
  throw new AppError("store.damaged", `${file}: not a worktree's record; move it away`);
}

function parse(text: string): WorktreeRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isWorktreeRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isWorktreeRecord(value: unknown): value is WorktreeRecord {
  if (typeof value !== "object" || value === null) return false;
  const fields: Partial<Record<string, unknown>> = { ...value };
  return texts.every((key) => typeof fields[key] === "string") && typeof fields.ready === "boolean";
}

const texts = [
  "project",
  "task",
  "path",
  "repository",
  "common_dir",
  "branch",
  "base_branch",
  "base_commit",
  "created_at",
] as const satisfies readonly (keyof WorktreeRecord)[];
