import { rmSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import { shorten } from "../../../contract/ids.ts";
import { randomBytes } from "../../../lib/base/crypto.ts";
import { diffBetween } from "../diff.ts";
import { type FileChange, parseChanges, type RawChange } from "../diff-parse.ts";
import { bytesOf, git, line, shown } from "../git/git.ts";
import { headOf } from "../git/repository.ts";
import { carryOut } from "./carry-out.ts";
import { type Checkpoint, listCheckpoints, takeCheckpoint } from "./checkpoint.ts";
import { mergeEdits } from "./merge-edits.ts";
import { planUndo, type UndoPlan } from "./undo-plan.ts";
import { lastUndo, type Reversal, reversalTo, type UndoTarget } from "./undo-step.ts";
import { presentState, type Workspace } from "./workspace.ts";

export interface UndoWishes {
  to: UndoTarget;
  /** Keep what was edited since in the files that change; otherwise such a file is refused. */
  merge?: boolean;
}

export interface UndoPreview {
  /** What it would do to the files now. */
  files: FileChange[];
  /** Files that it would be refused for. */
  edited: string[];
}

export interface Undone {
  /** What was there before, to come back to; missing where nothing had to be done. */
  saved?: Checkpoint;
  restored: string[];
  deleted: string[];
  /** Files that differ and were not touched. */
  left: { path: string; why: string }[];
  /** Where HEAD stood then, if the run has moved it: commits are never taken back. `isLast`: and nobody else has since. */
  headWas?: { commit: string; isLast: boolean };
}

export async function previewUndo(workspace: Workspace, run: string, wishes: UndoWishes): Promise<UndoPreview> {
  const { present, outcome, plan } = await prepare(workspace, run, wishes);
  const files = outcome === present ? [] : await diffBetween(workspace, present, outcome);
  return { files, edited: plan.edited.map(({ path }) => shown(path)) };
}

/**
 * Reverses what the run did since a turn: what it created goes, what it deleted comes back, what it changed is as before. Files
 * of others stay; one of the run's that was edited since is refused, before anything is changed. The present state is kept
 * first. Ignored files, the index, HEAD and branches stay as they are.
 */
export async function undo(workspace: Workspace, run: string, wishes: UndoWishes): Promise<Undone> {
  const { root } = workspace.repository;
  const { list, reversal, present, outcome, plan } = await prepare(workspace, run, wishes);
  if (plan.edited.length > 0) throw editedSince(root, plan, wishes.merge === true);
  const left = plan.left.map(({ path, why }) => ({ path: shown(path), why }));
  if (outcome === present) return { restored: [], deleted: [], left };
  const n = lastUndo(list) + 1;
  const saved = await takeCheckpoint(workspace, run, n, { kind: "undo" });
  const done = await carryOut(workspace, outcome, {
    write: plan.write.map(({ path }) => path),
    remove: plan.remove.map(({ path }) => path),
  });
  await takeCheckpoint(workspace, run, n, { kind: "after", step: reversal.step });
  await git(root, ["update-index", "-q", "--refresh"], { answers: [1], writes: true });
  return { saved, ...done, left: [...left, ...done.left], ...(await movedHead(root, reversal)) };
}

interface Prepared {
  list: Checkpoint[];
  reversal: Reversal;
  plan: UndoPlan;
  /** Trees: the files as they are, and as they are to be. */
  present: string;
  outcome: string;
}

async function prepare(workspace: Workspace, run: string, { to, merge = false }: UndoWishes): Promise<Prepared> {
  const list = await listCheckpoints(workspace.repository.root, run);
  const reversal = reversalTo(list, to);
  const { tree: present, skipped } = await presentState(workspace);
  const [from, target] = [reversal.from.commit, reversal.to.commit];
  const [work, since, beyond] = await Promise.all([
    changes(workspace, from, target),
    changes(workspace, from, present),
    changes(workspace, target, present),
  ]);
  const untaken = [...skipped, ...reversal.from.skipped, ...reversal.to.skipped].map(({ path }) => path);
  const strict = planUndo({ work, since, beyond, untaken });
  const plan = merge ? await withEdits(workspace, strict, since) : strict;
  return { list, reversal, plan, present, outcome: await outcomeOf(workspace, present, plan) };
}

async function changes({ shadow }: Workspace, from: string, to: string): Promise<RawChange[]> {
  const raw = await shadow.git(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to]);
  return parseChanges(raw.stdout).raw;
}

async function withEdits(workspace: Workspace, plan: UndoPlan, since: readonly RawChange[]): Promise<UndoPlan> {
  const edits = new Map(since.map((change) => [change.path, change]));
  const merged: UndoPlan = { ...plan, write: [...plan.write], edited: [] };
  for (const change of plan.edited) {
    const edit = edits.get(change.path);
    const both = edit && (await mergeEdits(workspace, { undo: change, since: edit }));
    if (both === undefined) merged.edited.push(change);
    else merged.write.push(both);
  }
  return merged;
}

/** What is there now with the plan carried out, as a tree. */
async function outcomeOf({ shadow }: Workspace, present: string, { write, remove }: UndoPlan): Promise<string> {
  if (write.length + remove.length === 0) return present;
  const index = `${shadow.index}.${randomBytes(6).toString("hex")}`;
  const options = { env: { GIT_INDEX_FILE: index }, writes: true };
  // What goes comes first: a folder may take the place of a file.
  const lines = [
    ...remove.map(({ path, newBlob }) => `0 ${newBlob}\t${path}\0`),
    ...write.map(({ path, newMode, newBlob }) => `${newMode} ${newBlob}\t${path}\0`),
  ];
  try {
    await shadow.git(["read-tree", present], options);
    await shadow.git(["update-index", "-z", "--index-info"], { ...options, input: bytesOf(lines.join("")) });
    return line(await shadow.git(["write-tree", "--missing-ok"], options));
  } finally {
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}

const NAMED = 10;

function editedSince(root: string, { edited }: UndoPlan, merged: boolean): AppError {
  const paths = edited.map(({ path }) => shown(path));
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : "";
  const names = `${paths
    .slice(0, NAMED)
    .map((path) => shorten(path, 200))
    .join(", ")}${more}`;
  const message = merged
    ? `undo in ${root}: what was edited since can't be merged: ${names}; nothing was changed; put these files aside first`
    : `undo in ${root}: edited since the run: ${names}; nothing was changed; to keep these edits, merge them (--merge)`;
  return new AppError("workspace.conflict", message, { paths });
}

async function movedHead(root: string, { from, to }: Reversal): Promise<Pick<Undone, "headWas">> {
  const was = to.head.commit;
  if (was === undefined || was === from.head.commit) return {};
  return { headWas: { commit: was, isLast: (await headOf(root)).commit === from.head.commit } };
}
