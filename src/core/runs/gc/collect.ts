import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { type Home, taskFolder } from "../../store/home.ts";
import { appendLedger } from "../../store/runs/ledger.ts";
import { type TaskRef, taskName } from "../../store/task-file.ts";
import { deleteTask } from "../../tasks/change.ts";
import { listTasks } from "../../tasks/task.ts";
import { forgetGoneShadows } from "../../workspaces/checkpoints/shadow.ts";
import { forgetGoneFences } from "../../workspaces/fence/persons/record.ts";
import { findWorktree } from "../../workspaces/worktrees/worktree-record.ts";
import { deleteRun, removeFolder } from "../delete-run.ts";
import { type Doomed, type GcLimits, planGc } from "./plan.ts";
import { bytesIn, finishedRuns, leftovers, type StoredRun } from "./runs.ts";
import { collectWorktree, idleWorktrees, type WorktreeVerdict } from "./worktrees.ts";

export interface Collected {
  runs: { run_id: string; project: string; task: string; ended: string; bytes: number; why: string }[];
  worktrees: WorktreeVerdict[];
  /** Tasks that were only their runs, and have none any more. */
  tasks: string[];
  bytes: number;
  notices: string[];
}

export async function collect(
  home: Home,
  limits: GcLimits,
  wishes: { force: boolean; dryRun: boolean },
  now: number,
): Promise<Collected> {
  const runs = finishedRuns(home);
  const doomed = planGc(
    runs.filter(({ missing }) => !missing),
    limits,
    now,
  );
  const rest = leftovers(home);
  const sizes = [...doomed.map(({ run }) => run.bytes), ...rest.map((dir) => bytesIn(dir) ?? 0)];
  const at = new Date(now).toISOString();
  const notices = wishes.dryRun ? [] : await deleteAll(home, runs, doomed, rest, at);
  const staying = tasksWith(runs, doomed);
  const worktrees: WorktreeVerdict[] = [];
  for (const record of idleWorktrees(home, staying, now)) worktrees.push(await collectWorktree(home, record, wishes));
  sizes.push(...worktrees.filter(({ removed }) => removed).map(({ bytes }) => bytes));
  return {
    runs: doomed.map(listed),
    worktrees,
    tasks: wishes.dryRun ? [] : await deleteEmptyTasks(home, staying, doomed, at, notices),
    bytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
    notices,
  };
}

async function deleteAll(
  home: Home,
  runs: readonly StoredRun[],
  doomed: readonly Doomed<StoredRun>[],
  rest: readonly string[],
  at: string,
): Promise<string[]> {
  const notices: string[] = [];
  for (const dir of rest) removeFolder(dir);
  for (const { run_id, missing } of runs) if (missing) appendLedger(home, { type: "gone", run_id, at });
  for (const { run } of doomed) notices.push(...(await deleteRun(home, run, at)));
  forgetGoneShadows(home.root);
  forgetGoneFences(home.root);
  return notices;
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
