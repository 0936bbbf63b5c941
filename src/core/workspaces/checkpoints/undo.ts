import { rmSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import { diffBetween } from "../diff.ts";
import { type FileChange, GITLINK, parseChanges, type RawChange } from "../diff-parse.ts";
import { git, names, nulList, shown } from "../git/git.ts";
import { headOf } from "../git/repository.ts";
import { type Checkpoint, listCheckpoints, requireCheckpoint, takeCheckpoint } from "./checkpoint.ts";
import { makeRoom, removeFile } from "./restore-file.ts";
import { presentState, type Workspace } from "./workspace.ts";

/** A turn's number, or the state that the latest undo replaced. */
export type UndoTarget = { turn: number } | "redo";

export interface Undone {
  /** What was there before, to come back to. */
  saved: Checkpoint;
  restored: string[];
  deleted: string[];
  /** Files that differ and were not touched. */
  left: { path: string; why: string }[];
  /** Where HEAD stood then, if it has moved since: commits are never taken back. */
  headWas?: string;
}

/** What an undo would do to the files now. */
export async function previewUndo(workspace: Workspace, run: string, target: UndoTarget): Promise<FileChange[]> {
  const to = await targetOf(workspace, run, target);
  const { tree } = await presentState(workspace);
  return diffBetween(workspace, tree, to.commit);
}

/**
 * Makes the files what they were at a checkpoint: created ones go, deleted ones come back, changed ones are as before. The
 * present state is kept first. Ignored files, the index, HEAD and branches stay as they are.
 */
export async function undo(workspace: Workspace, run: string, target: UndoTarget): Promise<Undone> {
  const { repository, shadow } = workspace;
  const list = await listCheckpoints(repository.root, run);
  const to = chooseTarget(list, target);
  const saved = await takeCheckpoint(workspace, run, lastUndo(list) + 1, { kind: "undo" });
  const raw = await shadow.git(["diff-tree", "-r", "-z", "--raw", "--no-renames", saved.commit, to.commit]);
  const plan = planUndo(
    parseChanges(raw.stdout).raw,
    [...saved.skipped, ...to.skipped].map(({ path }) => path),
  );
  const done = await carryOut(workspace, to.commit, plan);
  const head = await headOf(repository.root);
  const moved = head.commit !== to.head.commit && to.head.commit !== undefined;
  await git(repository.root, ["update-index", "-q", "--refresh"], { answers: [1], writes: true });
  return { saved, ...done, ...(moved ? { headWas: to.head.commit } : {}) };
}

interface UndoPlan {
  write: string[];
  remove: string[];
  left: { path: string; why: string }[];
}

/** What was not taken, then or now, can't be put back or kept: it stays. */
export function planUndo(raw: readonly RawChange[], skipped: readonly string[]): UndoPlan {
  const untaken = new Set(skipped);
  const plan: UndoPlan = { write: [], remove: [], left: [] };
  for (const { path, status, oldMode, newMode } of raw) {
    if (oldMode === GITLINK || newMode === GITLINK) plan.left.push({ path, why: "a repository of its own" });
    else if (untaken.has(path)) plan.left.push({ path, why: "too large or not readable, so it was not kept" });
    else if (status === "D") plan.remove.push(path);
    else plan.write.push(path);
  }
  return plan;
}

async function carryOut(workspace: Workspace, commit: string, plan: UndoPlan): Promise<Omit<Undone, "saved">> {
  const done: Done = { restored: [], deleted: [], left: [...plan.left] };
  const isRules = (path: string) => /(^|\/)\.gitignore$/.test(path);
  // The rules of then come back first: what they ignore (.env) was there then and only not seen; it must not go.
  for (const choose of [isRules, (path: string) => !isRules(path)]) {
    await removeFiles(workspace, plan.remove.filter(choose), done);
    await writeFiles(workspace, commit, plan.write.filter(choose), done);
  }
  return {
    restored: done.restored.map(shown),
    deleted: done.deleted.map(shown),
    left: done.left.map(({ path, why }) => ({ path: shown(path), why })),
  };
}

type Done = Pick<Undone, "restored" | "deleted" | "left">;

async function removeFiles(workspace: Workspace, paths: readonly string[], done: Done): Promise<void> {
  const ignored = await ignoredFiles(workspace, paths);
  for (const path of paths) {
    if (ignored.has(path)) done.left.push({ path, why: "ignored" });
    else if (removeFile(workspace.repository.root, path)) done.deleted.push(path);
    else done.left.push({ path, why: "something else is in its place" });
  }
}

async function writeFiles(
  { repository, shadow }: Workspace,
  commit: string,
  paths: readonly string[],
  done: Done,
): Promise<void> {
  const writable: string[] = [];
  for (const path of paths) {
    const why = makeRoom(repository.root, path);
    if (why === undefined) writable.push(path);
    else done.left.push({ path, why });
  }
  if (writable.length === 0) return;
  const index = `${shadow.index}.undo-${process.pid}`;
  const options = { env: { GIT_INDEX_FILE: index }, writes: true };
  try {
    await shadow.git(["read-tree", commit], options);
    await shadow.git(["checkout-index", "-z", "--force", "--stdin"], { ...options, input: nulList(writable) });
  } finally {
    rmSync(index, { force: true });
  }
  done.restored.push(...writable);
}

async function ignoredFiles({ shadow }: Workspace, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const args = ["check-ignore", "-z", "--no-index", "--stdin"];
  return new Set(names(await shadow.git(args, { input: nulList(paths), answers: [1] })));
}

async function targetOf({ repository }: Workspace, run: string, target: UndoTarget): Promise<Checkpoint> {
  return chooseTarget(await listCheckpoints(repository.root, run), target);
}

function chooseTarget(list: readonly Checkpoint[], target: UndoTarget): Checkpoint {
  if (target !== "redo") return requireCheckpoint(list, "turn", target.turn);
  if (lastUndo(list) > 0) return requireCheckpoint(list, "undo", lastUndo(list));
  throw new AppError("usage.invalid", "redo: nothing of this run was undone");
}

const lastUndo = (list: readonly Checkpoint[]): number =>
  list.reduce((last, { kind, n }) => (kind === "undo" ? Math.max(last, n) : last), 0);
