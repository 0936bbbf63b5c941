import { existsSync } from "node:fs";
import { AppError } from "../contract/errors.ts";
import { readClaims } from "../store/claims.ts";
import type { Home } from "../store/home.ts";
import { runPaths } from "../store/run-directory.ts";
import { readRunInfo } from "../store/run-info.ts";
import { type Checkpoint, listCheckpoints } from "../workspaces/checkpoint.ts";
import type { FileChange } from "../workspaces/diff-parse.ts";
import { isWithin } from "../workspaces/repository.ts";
import { openWorkspace, type Workspace } from "../workspaces/workspace.ts";
import { findWorktree } from "../workspaces/worktree-record.ts";
import type { NamedRun } from "./run-access.ts";
import { renderTable } from "./table.ts";
import type { Paint } from "./view/paint.ts";
import { oneLine } from "./view/printable.ts";

/** Where a run worked, and the states it left there. */
export interface RunChanges {
  workspace: Workspace;
  turns: Checkpoint[];
}

/** `place`: the run's own folder, or any that has its checkpoints, which is enough to look. */
export async function changesOf(named: NamedRun, place: "own" | "any"): Promise<RunChanges> {
  const { home, info } = named;
  const workspace = await openWorkspace(folderOf(named, place), home.root);
  if (workspace === undefined) {
    const message = `run ${info.run_id}: ${info.cwd} is not in a git repository, so nobody knows what it changed`;
    throw new AppError("workspace.invalid", message);
  }
  const list = await listCheckpoints(workspace.repository.root, info.run_id);
  return { workspace, turns: list.filter(({ kind }) => kind === "turn") };
}

/** A worktree may be gone; its checkpoints are in the repository it came from. */
function folderOf({ home, info }: NamedRun, place: "own" | "any"): string {
  if (existsSync(info.cwd)) return info.cwd;
  const record = place === "any" ? findWorktree(home.root, info.project_id, info.task_id) : undefined;
  if (record !== undefined && existsSync(record.repository)) return record.repository;
  throw new AppError("workspace.invalid", `run ${info.run_id}: its folder ${info.cwd} is gone`);
}

/** Whoever works there would have the files changed under its hands. */
export function requireNobodyAtWork(home: Home, root: string): void {
  for (const { runId, claim } of readClaims(home)) {
    const info = claim && readRunInfo(runPaths(claim.dir).info);
    if (info?.status !== "running" || !isWithin(info.cwd, root)) continue;
    throw new AppError("workspace.busy", `run ${runId}: works in ${info.cwd}; stop it first: cox stop ${runId}`);
  }
}

export function renderFiles(files: readonly FileChange[], paint: Paint): string {
  return renderTable(files.map((file) => [wordFor(file, paint), countOf(file, paint), nameOf(file)]));
}

function wordFor({ change }: FileChange, paint: Paint): string {
  const colour = change === "create" ? paint.green : change === "delete" ? paint.red : paint.yellow;
  return colour(change);
}

function countOf({ binary, added, removed }: FileChange, paint: Paint): string {
  return binary ? "binary" : `${paint.green(`+${added}`)} ${paint.red(`−${removed}`)}`;
}

const nameOf = ({ path, oldPath }: FileChange) =>
  oldPath === undefined ? oneLine(path) : `${oneLine(oldPath)} → ${oneLine(path)}`;
