import { AppError } from "../../contract/errors.ts";
import { shorten } from "../../contract/ids.ts";
import { type Checkpoint, listCheckpoints, takeCheckpoint } from "./checkpoints/checkpoint.ts";
import { removeFile } from "./checkpoints/restore-file.ts";
import { lastUndo, standingOf } from "./checkpoints/undo-step.ts";
import type { Workspace } from "./checkpoints/workspace.ts";
import { addFiles, FROM_STDIN, LITERAL, listed, requireNoSubmodule, stagedChanges } from "./git/add.ts";
import { identity } from "./git/commit.ts";
import { git, line, names, plumbing, shown } from "./git/git.ts";

/** For a commit of a part of the work. */
export async function stageFiles(root: string, paths: readonly string[], staged: boolean): Promise<void> {
  paths.forEach(requireRelative);
  if (staged) await addFiles(root, paths);
  else await git(root, ["reset", "--quiet", ...FROM_STDIN], { input: listed(paths), env: LITERAL, writes: true });
}

export async function stagedFiles(root: string): Promise<Set<string>> {
  return new Set((await stagedChanges(root, { answers: [128] })).map(({ path }) => shown(path)));
}

/** These files as they are, or what is staged. Hooks don't run and nothing is signed. */
export async function commitFiles(
  root: string,
  message: string,
  paths: readonly string[] | undefined,
): Promise<string> {
  const env = { ...(await identity(root)), ...LITERAL };
  if (paths !== undefined) await stageFiles(root, paths, true);
  else if ((await stagedFiles(root)).size === 0) {
    throw new AppError("workspace.invalid", `commit ${root}: nothing is staged; stage files, or name them`);
  }
  await requireNoSubmodule(root, paths);
  const only = paths === undefined ? [] : ["--only", ...FROM_STDIN];
  // The message can't come on stdin together with the paths.
  await git(root, ["commit", "--quiet", "--no-verify", "--cleanup=strip", `--message=${message}`, ...only], {
    input: paths === undefined ? "" : listed(paths),
    env,
    writes: true,
  });
  return line(await plumbing(root, ["rev-parse", "HEAD"]));
}

/** As in the last commit; new files go. What was there is kept as a checkpoint first, so that it can be taken back. */
export async function discardFiles(
  workspace: Workspace,
  run: string,
  paths: readonly string[],
): Promise<{ saved: Checkpoint; restored: string[]; deleted: string[] }> {
  paths.forEach(requireRelative);
  const { root } = workspace.repository;
  const list = await listCheckpoints(root, run);
  const n = lastUndo(list) + 1;
  const saved = await takeCheckpoint(workspace, run, n, { kind: "undo" });
  const known = await inLastCommit(root, paths);
  const restored = paths.filter((path) => known.has(path));
  const deleted = paths.filter((path) => !known.has(path));
  if (restored.length > 0) {
    const args = ["restore", "--source=HEAD", "--staged", "--worktree", ...FROM_STDIN];
    await git(root, args, { input: listed(restored), env: LITERAL, writes: true });
  }
  if (deleted.length > 0) {
    const args = ["rm", "--cached", "--quiet", "--force", "--ignore-unmatch", ...FROM_STDIN];
    await git(root, args, { input: listed(deleted), env: LITERAL, writes: true });
  }
  const gone = deleted.filter((path) => removeFile(root, Buffer.from(path).toString("latin1")));
  const { turn, lastTurn } = standingOf(list);
  await takeCheckpoint(workspace, run, n, { kind: "after", step: { did: "discard", turn, was: turn, lastTurn } });
  return { saved, restored, deleted: gone };
}

async function inLastCommit(root: string, paths: readonly string[]): Promise<Set<string>> {
  const args = ["ls-tree", "-r", "-z", "--name-only", "HEAD", "--", ...paths];
  const result = await plumbing(root, args, { env: LITERAL, answers: [128] });
  return new Set(names(result).map((name) => Buffer.from(name, "latin1").toString("utf8")));
}

/** No file system of ours has longer ones. */
const LONGEST_NAME = 255;

function requireRelative(path: string): void {
  const steps = path.split("/");
  const isPossible = !path.includes("\0") && steps.every((step) => Buffer.byteLength(step) <= LONGEST_NAME);
  if (isPossible && !path.startsWith("/") && !steps.includes("..") && steps[0] !== ".git") return;
  throw new AppError("workspace.invalid", `${JSON.stringify(shorten(path))}: not a file of the workspace`);
}
