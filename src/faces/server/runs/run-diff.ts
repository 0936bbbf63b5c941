import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import type { FileChangeItem } from "../../../contract/api/workspace.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import type { Home } from "../../../core/store/home.ts";
import { readMarks } from "../../../core/store/review.ts";
import { diffBetween, workspaceDiff } from "../../../core/workspaces/diff.ts";
import type { FileChange } from "../../../core/workspaces/diff-parse.ts";
import { changesOf, rangeOf } from "../../../core/workspaces/run-changes.ts";
import { stagedFiles } from "../../../core/workspaces/stage.ts";
import { findWorktree } from "../../../core/workspaces/worktrees/worktree-record.ts";

export interface DiffWish {
  /** `start`, `head`, `base` or `turn:N`. */
  from: string;
  path?: string | undefined;
  patches: boolean;
}

/** What a run changed, with what a person has noted of it. */
export async function runDiff(home: Home, info: RunInfo, { from, path, patches }: DiffWish): Promise<FileChangeItem[]> {
  const files = await filesOf(home, info, from, path);
  const marks = readMarks(home, { project: info.project_id, task: info.task_id });
  const staged = existsSync(info.cwd) ? await stagedFiles(info.cwd) : new Set<string>();
  return files.map((file) => {
    const hash = hashOf(file);
    return {
      path: file.path,
      old_path: file.oldPath,
      change: file.change,
      added: file.added,
      removed: file.removed,
      binary: file.binary || undefined,
      staged: staged.has(file.path) || undefined,
      hash,
      unified: patches ? file.unified : undefined,
      truncated: file.truncated,
      reviewed: marks.get(file.path)?.hash === hash || undefined,
    };
  });
}

async function filesOf(home: Home, info: RunInfo, from: string, path: string | undefined): Promise<FileChange[]> {
  const wishes = { patches: true, ...(path === undefined ? {} : { paths: [path] }) };
  if (from === "head") return workspaceDiff(info.cwd, wishes);
  if (from === "base") return workspaceDiff(info.cwd, { ...wishes, from: baseOf(home, info) });
  const changes = await changesOf(home.root, info, "any");
  const turn = from.startsWith("turn:") ? Number(from.slice("turn:".length)) : undefined;
  const range = await rangeOf(changes, turn, existsSync(info.cwd));
  // Without checkpoints there is still what nobody has committed.
  if (range === undefined) return workspaceDiff(info.cwd, wishes);
  return diffBetween(changes.workspace, range.from, range.to, wishes);
}

/** Where its branch began. */
function baseOf(home: Home, { project_id, task_id, base_branch }: RunInfo): string | undefined {
  return findWorktree(home.root, project_id, task_id)?.base_commit || base_branch || undefined;
}

const hashOf = ({ path, change, unified = "" }: FileChange) =>
  createHash("sha256").update(`${change} ${path}\n`).update(unified).digest("hex");
