import { existsSync } from "node:fs";
import { AppError } from "../../contract/errors.ts";
import { runName } from "../../contract/ids.ts";
import { requireOwn } from "../../contract/runs/imported.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { type Checkpoint, listCheckpoints, requireCheckpoint } from "./checkpoints/checkpoint.ts";
import { openWorkspace, presentState, type Workspace } from "./checkpoints/workspace.ts";
import { diffBetween, workspaceDiff } from "./diff.ts";
import type { FileChange } from "./diff-parse.ts";
import { findWorktree } from "./worktrees/worktree-record.ts";

type RunPlace = Pick<RunInfo, "run_id" | "handle" | "project_id" | "task_id" | "cwd" | "process_ownership">;

/** Where a run worked, and the states it left there. */
export interface RunChanges {
  workspace: Workspace;
  turns: Checkpoint[];
}

/** `place`: the run's own folder, or any that has its checkpoints, which is enough to look. */
export async function changesOf(home: string, run: RunPlace, place: "own" | "any"): Promise<RunChanges> {
  const workspace = await openWorkspace(folderOf(home, requireOwn(run), place), home);
  if (workspace === undefined) {
    const message = `run ${runName(run)}: ${run.cwd} is not in a git repository, so nobody knows what it changed`;
    throw new AppError("workspace.invalid", message);
  }
  const list = await listCheckpoints(workspace.repository.root, run.run_id);
  return { workspace, turns: list.filter(({ kind }) => kind === "turn") };
}

/** A worktree may be gone; its checkpoints are in the repository it came from. */
function folderOf(home: string, run: RunPlace, place: "own" | "any"): string {
  if (existsSync(run.cwd)) return run.cwd;
  const record = place === "any" ? findWorktree(home, run.project_id, run.task_id) : undefined;
  if (record !== undefined && existsSync(record.repository)) return record.repository;
  throw new AppError("workspace.invalid", `run ${runName(run)}: its folder ${run.cwd} is gone`);
}

export interface ChangeRange {
  from: string;
  to: string;
}

/** One turn, or all a run did: that ends with its last turn, and of a live one it is what is there now. */
export async function rangeOf(
  { workspace, turns }: RunChanges,
  turn: number | undefined,
  live: boolean,
): Promise<ChangeRange | undefined> {
  if (turn !== undefined) {
    const to = requireCheckpoint(turns, "turn", turn);
    const before = turns.findLast(({ n }) => n < turn);
    if (before === undefined) throw new AppError("usage.invalid", "turn 0 is where the run began: it changed nothing");
    return { from: before.commit, to: to.commit };
  }
  const [first, last]: (Checkpoint | undefined)[] = [turns[0], turns.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return { from: first.commit, to: live ? (await presentState(workspace)).tree : last.commit };
}

/** All that a run changed, with the patches. Without checkpoints there is still what nobody has committed. */
export async function runFiles(home: string, run: RunPlace): Promise<FileChange[]> {
  const changes = await changesOf(home, run, "any");
  const range = await rangeOf(changes, undefined, false);
  if (range === undefined) return workspaceDiff(run.cwd, { patches: true });
  return diffBetween(changes.workspace, range.from, range.to, { patches: true });
}

/** Whether it left any file other than it found it; in doubt, as where there is no repository, it did. */
export async function hasChanged(home: string, run: RunPlace): Promise<boolean> {
  const workspace = await openWorkspace(run.cwd, home);
  if (workspace === undefined) return true;
  const range = await rangeOf(await changesOf(home, run, "own"), undefined, false);
  if (range === undefined) return true;
  return (await diffBetween(workspace, range.from, range.to, { patches: false })).length > 0;
}
