import { AppError, messageOf } from "../../../contract/errors.ts";
import { bytesOnDisk } from "../../../lib/files/tree/walk-tree.ts";
import type { Home } from "../../store/home.ts";
import { taskName } from "../../store/task-file.ts";
import { liveRuns } from "../../tasks/task.ts";
import { listWorktrees, type WorktreeRecord } from "../../workspaces/worktrees/worktree-record.ts";
import { removeWorktree, workLeftIn } from "../../workspaces/worktrees/worktree-remove.ts";

export interface WorktreeWishes {
  force: boolean;
  dryRun: boolean;
  /** What is run in it before it goes. */
  teardown?: string;
}

export interface WorktreeVerdict {
  project: string;
  task: string;
  path: string;
  bytes: number;
  removed: boolean;
  /** Why it stays. */
  why?: string;
  notices: string[];
}

/** One that was just made has no run yet. */
const YOUNG_MS = 60 * 60_000;

/** Worktrees of tasks that have no run any more. `tasks`: those that have one. */
export function idleWorktrees(home: Home, tasks: ReadonlySet<string>, now: number): WorktreeRecord[] {
  return listWorktrees(home.root).filter(
    (record) =>
      !tasks.has(taskName(record)) &&
      liveRuns(home, record).length === 0 &&
      now - Date.parse(record.created_at) > YOUNG_MS,
  );
}

/** Work that is nowhere else is never thrown away without force; that is an answer, not a failure. */
export async function collectWorktree(
  home: Home,
  record: WorktreeRecord,
  { force, dryRun, teardown }: WorktreeWishes,
): Promise<WorktreeVerdict> {
  const { project, task, path } = record;
  const verdict = { project, task, path, bytes: bytesOnDisk(path) ?? 0, notices: [] };
  try {
    if (dryRun) {
      if (!force) await requireNothingIn(record);
      return { ...verdict, removed: true };
    }
    const { notices } = await removeWorktree({ home: home.root, project, task, force, teardown });
    return { ...verdict, removed: true, notices };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...verdict, removed: false, why: messageOf(error) };
  }
}

async function requireNothingIn(record: WorktreeRecord): Promise<void> {
  const { uncommitted, unmerged } = await workLeftIn(record);
  if (uncommitted + unmerged === 0) return;
  throw new AppError("workspace.busy", `${uncommitted} uncommitted files, ${unmerged} unmerged commits`);
}
