import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { removeTree } from "../../../lib/files/tree/remove-tree.ts";
import { bytesOnDisk } from "../../../lib/files/tree/walk-tree.ts";
import { listTasks } from "../../store/find-task.ts";
import { type Home, taskFolder } from "../../store/home.ts";
import { appendLedger } from "../../store/ledger/ledger.ts";
import { type TaskRef, taskName } from "../../store/task-file.ts";
import { deleteTask } from "../../tasks/change.ts";
import { forgetGoneShadows } from "../../workspaces/checkpoints/shadow.ts";
import { forgetGoneFences } from "../../workspaces/fence/persons/record.ts";
import { findWorktree } from "../../workspaces/worktrees/worktree-record.ts";
import { deleteRun } from "../delete-run.ts";
import { type Doomed, type GcLimits, planGc } from "./plan.ts";
import { finishedRuns, leftovers, type StoredRun } from "./runs.ts";
import { collectWorktree, idleWorktrees, type WorktreeVerdict, type WorktreeWishes } from "./worktrees.ts";

export interface Collected {
  runs: { run_id: string; project: string; task: string; ended: string; bytes: number; why: string }[];
  worktrees: WorktreeVerdict[];
  /** Tasks that were only their runs, and have none any more. */
  tasks: string[];
  bytes: number;
  /** What should have gone and could not, and why. */
  left: { path: string; why: string }[];
  notices: string[];
}

export async function collect(home: Home, limits: GcLimits, wishes: WorktreeWishes, now: number): Promise<Collected> {
  const runs = finishedRuns(home);
  const doomed = planGc(
    runs.filter(({ missing }) => !missing),
    limits,
    now,
  );
  const rest = leftovers(home).map((dir) => ({ dir, bytes: bytesOnDisk(dir) ?? 0 }));
  const at = new Date(now).toISOString();
  const { notices, left } = wishes.dryRun ? { notices: [], left: [] } : await deleteAll(home, runs, doomed, rest, at);
  const isLeft = new Set(left.map(({ path }) => path));
  const gone = doomed.filter(({ run }) => !isLeft.has(run.dir));
  const sizes = [...gone.map(({ run }) => run), ...rest.filter(({ dir }) => !isLeft.has(dir))].map(
    ({ bytes }) => bytes,
  );
  const staying = tasksWith(runs, gone);
  const worktrees: WorktreeVerdict[] = [];
  for (const record of idleWorktrees(home, staying, now)) worktrees.push(await collectWorktree(home, record, wishes));
  notices.push(...worktrees.flatMap((verdict) => verdict.notices));
  sizes.push(...worktrees.filter(({ removed }) => removed).map(({ bytes }) => bytes));
  return {
    runs: gone.map(listed),
    worktrees,
    tasks: wishes.dryRun ? [] : await deleteEmptyTasks(home, staying, gone, at, notices),
    bytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
    left,
    notices,
  };
}

async function deleteAll(
  home: Home,
  runs: readonly StoredRun[],
  doomed: readonly Doomed<StoredRun>[],
  rest: readonly { dir: string }[],
  at: string,
): Promise<Pick<Collected, "notices" | "left">> {
  const notices: string[] = [];
  const left: Collected["left"] = [];
  /** One that can't be deleted is no reason to keep the others. */
  const attempt = async (path: string, deed: () => void | Promise<void>) => {
    try {
      await deed();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      left.push({ path, why: error.message });
    }
  };
  for (const { dir } of rest) await attempt(dir, () => removeTree(dir));
  for (const { run } of doomed) {
    await attempt(run.dir, async () => {
      notices.push(...(await deleteRun(home, run, at)));
    });
  }
  for (const { run_id, missing } of runs) if (missing) appendLedger(home, { type: "gone", run_id, at });
  await attempt(join(home.root, "checkpoints"), () => forgetGoneShadows(home.root));
  await attempt(join(home.root, "fences"), () => forgetGoneFences(home.root));
  return { notices, left };
}

/** Tasks that keep a finished run. Those with a live one are looked at separately. */
function tasksWith(runs: readonly StoredRun[], doomed: readonly Doomed<StoredRun>[]): Set<string> {
  const going = new Set(doomed.map(({ run }) => run.run_id));
  return new Set(runs.filter(({ run_id, missing }) => !missing && !going.has(run_id)).map(taskName));
}

/** `cox run` makes a task for each run; a person's own tasks stay, and those with work still to be merged. */
async function deleteEmptyTasks(
  home: Home,
  staying: ReadonlySet<string>,
  doomed: readonly Doomed<StoredRun>[],
  at: string,
  notices: string[],
): Promise<string[]> {
  const touched = new Set(doomed.map(({ run }) => taskName(run)));
  const deleted: string[] = [];
  for (const ref of listTasks(home)) {
    const name = taskName(ref);
    if (!touched.has(name) || staying.has(name) || findWorktree(home.root, ref.project, ref.task)) continue;
    const isOwn = existsSync(join(taskFolder(home, ref.project, ref.task), "task.yaml"));
    if (!isOwn && (await isDeleted(home, ref, at, notices))) deleted.push(name);
  }
  return deleted;
}

async function isDeleted(home: Home, ref: TaskRef, at: string, notices: string[]): Promise<boolean> {
  try {
    await deleteTask(home, ref, { force: false, at });
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Somebody waits for it, or it runs again: as it should be.
    if (error.code !== "task.state") notices.push(`task ${taskName(ref)} stays: ${error.message}`);
    return false;
  }
}

function listed({ run: { run_id, project, task, endedAt, bytes }, why }: Doomed<StoredRun>): Collected["runs"][number] {
  return { run_id, project, task, ended: new Date(endedAt).toISOString(), bytes, why };
}
