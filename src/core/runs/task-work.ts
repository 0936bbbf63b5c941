import { AppError, messageOf } from "../../contract/errors.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import type { TaskSummary } from "../../contract/tasks/task.ts";
import { runIdsOf } from "../store/find-task.ts";
import { type Home, runFolder } from "../store/home.ts";
import { nameOfRun } from "../store/runs/find-run.ts";
import { runPaths } from "../store/runs/run-directory.ts";
import { readRunInfo } from "../store/runs/run-info.ts";
import { type TaskRef, taskName } from "../store/task-file.ts";
import { cancelTask, type Doing } from "../tasks/change.ts";
import { outputOf, postedResults } from "../tasks/results.ts";
import { liveRuns } from "../tasks/task.ts";
import type { FileChange } from "../workspaces/diff-parse.ts";
import { runFiles } from "../workspaces/run-changes.ts";
import { type Merged, type MergeWishes, mergeTask } from "../workspaces/worktrees/merge.ts";
import type { Script } from "../workspaces/worktrees/script.ts";
import type { WorkLeft } from "../workspaces/worktrees/work-left.ts";
import { worktreeFiles } from "../workspaces/worktrees/worktree-diff.ts";
import { findWorktree, type WorktreeRecord } from "../workspaces/worktrees/worktree-record.ts";
import { type Removed, removeWorktree, workLeftIn } from "../workspaces/worktrees/worktree-remove.ts";

/** What came of a task so far: all that somebody who judges it wants to see. */
export interface TaskWork {
  /** The run that worked on it last; `undefined` where nothing is left of it. */
  run: RunInfo | undefined;
  /** How many there were, and what they took together. */
  runs: number;
  costUsd: number;
  tookMs: number;
  /** What the agent said at the end. */
  said: string;
  /** What was posted as a result: checks, for example. */
  results: Readonly<Record<string, string>>;
  worktree: WorktreeRecord | undefined;
  /** What is in the worktree and nowhere else. */
  left: WorkLeft;
  /** What it changed, with the patches; or why nobody knows. */
  files: readonly FileChange[] | { unknown: string };
}

export async function readWork(home: Home, task: TaskRef & Pick<TaskSummary, "run">): Promise<TaskWork> {
  const infos = runIdsOf(home, task).flatMap((runId) => infoOf(home, task, runId) ?? []);
  const run = infos.find(({ run_id }) => run_id === task.run) ?? infos.at(-1);
  const worktree = findWorktree(home.root, task.project, task.task);
  return {
    run,
    runs: infos.length,
    costUsd: infos.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
    tookMs: infos.reduce((sum, info) => sum + tookMs(info), 0),
    said: run === undefined ? "" : outputOf(run),
    results: Object.fromEntries(postedResults(home, task)),
    worktree,
    left: worktree === undefined ? { uncommitted: 0, unmerged: 0 } : await workLeftIn(worktree),
    files: await filesOf(home, run, worktree),
  };
}

/** Brings what is in the task's worktree onto the branch it began at, or onto another. */
export async function mergeWork(
  home: Home,
  ref: TaskRef,
  { into, ...how }: Omit<MergeWishes, "worktree" | "into"> & { into?: string | undefined },
): Promise<Merged> {
  const record = requireWorktree(home, ref);
  return mergeTask({ worktree: record.path, into: into ?? requireBase(record), ...how });
}

/** The files that don't fit together, where that is what failed. */
export function conflictsOf(error: unknown): string[] | undefined {
  if (!(error instanceof AppError) || error.code !== "workspace.conflict") return undefined;
  const { conflicts } = error.details;
  return Array.isArray(conflicts) ? conflicts.map(String) : undefined;
}

/** Gives the task up, for good, and takes its worktree away with all that is in it. */
export async function dropWork(
  home: Home,
  ref: TaskRef,
  doing: Doing & { teardown?: Script },
): Promise<Removed | undefined> {
  const { project, task } = ref;
  await cancelTask(home, ref, doing);
  if (findWorktree(home.root, project, task) === undefined) return undefined;
  return removeWorktree({ home: home.root, project, task, force: true, teardown: doing.teardown });
}

export function requireWorktree(home: Home, ref: TaskRef): WorktreeRecord {
  const [live] = liveRuns(home, ref);
  if (live !== undefined) {
    throw new AppError(
      "workspace.busy",
      `task ${taskName(ref)}: run ${nameOfRun(home, live)} still works on it; stop it first`,
    );
  }
  const record = findWorktree(home.root, ref.project, ref.task);
  if (record !== undefined) return record;
  throw new AppError(
    "workspace.invalid",
    `task ${taskName(ref)}: has no worktree, so its work is in your own checkout already; see \`cox diff\``,
  );
}

export function requireBase({ base_branch, task }: WorktreeRecord): string {
  if (base_branch !== "") return base_branch;
  throw new AppError("usage.invalid", `cox merge: task ${task} began at no branch of yours; name one with --into`);
}

const infoOf = (home: Home, { project, task }: TaskRef, runId: string): RunInfo | undefined =>
  readRunInfo(runPaths(runFolder(home, project, task, runId)).info);

function tookMs({ start_time, end_time }: RunInfo): number {
  const ms = Date.parse(end_time) - Date.parse(start_time);
  return Number.isNaN(ms) ? 0 : ms;
}

async function filesOf(
  home: Home,
  run: RunInfo | undefined,
  worktree: WorktreeRecord | undefined,
): Promise<TaskWork["files"]> {
  try {
    if (worktree !== undefined) return await worktreeFiles(worktree);
    if (run !== undefined) return await runFiles(home.root, run);
    return { unknown: "it has no run" };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { unknown: messageOf(error) };
  }
}
