import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { removeTree } from "../../lib/files/tree/remove-tree.ts";
import { snapshot } from "./checkpoints/snapshot.ts";
import type { Workspace } from "./checkpoints/workspace.ts";
import { type FileChange, parseChanges, type RawChange, splitPatch } from "./diff-parse.ts";
import { at, type Git, type GitOptions, git, line, plumbing } from "./git/git.ts";
import { copyIndex } from "./git/index-copy.ts";
import { commitOf, type Repository, requireRepository } from "./git/repository.ts";

interface DiffWishes {
  /** Only these files; all when missing. */
  paths?: readonly string[];
  /** Fill in `unified`. */
  patches?: boolean;
  /** Of each file's patch. */
  maxBytes?: number;
}

const MAX_PATCH_BYTES = 1024 * 1024;
const MAX_PATCHES_BYTES = 32 * 1024 * 1024;

/** Between two checkpoints, or other trees whose files are stored as they lay on the disk. */
export function diffBetween(
  { shadow }: Workspace,
  from: string,
  to: string,
  wishes: DiffWishes = {},
): Promise<FileChange[]> {
  return diffTrees(shadow.git, from, to, wishes);
}

/**
 * What differs between a commit (HEAD, if none is named) and another, or the files as they are now, new ones included. Unlike
 * checkpoints this compares as git does, with the person's own filters and line ends.
 */
export async function workspaceDiff(
  cwd: string,
  { from, to, ...wishes }: DiffWishes & { from?: string; to?: string } = {},
): Promise<FileChange[]> {
  const repository = await requireRepository(cwd);
  const { root, head } = repository;
  const start = from === undefined ? (head.commit ?? (await emptyTree(root))) : await requireCommit(root, from);
  if (to !== undefined) return diffTrees(bind(root), start, await requireCommit(root, to), wishes);
  return withFilesAsTree(repository, (bound, tree) => diffTrees(bound, start, tree, wishes));
}

/** A whole patch as one text, for `git apply`: passed on as it comes. */
export async function writePatch(git: Git, from: string, to: string, write: (chunk: Buffer) => void): Promise<void> {
  const onOutput: GitOptions["onOutput"] = (chunk, stream) => {
    if (stream === "stdout") write(chunk);
  };
  await git(["diff-tree", "-p", "--binary", "--full-index", ...OPTIONS, from, to], { onOutput });
}

async function diffTrees(git: Git, from: string, to: string, wishes: DiffWishes): Promise<FileChange[]> {
  const { paths = [], patches = false, maxBytes = MAX_PATCH_BYTES } = wishes;
  const only = paths.length === 0 ? [] : ["--", ...paths];
  const args = [...OPTIONS, from, to, ...only];
  const { raw, files } = parseChanges((await git(["diff-tree", "-z", "--raw", "--numstat", ...args], LITERAL)).stdout);
  return patches ? withPatches(git, args, raw, files, maxBytes) : files;
}

async function withPatches(
  git: Git,
  args: readonly string[],
  raw: readonly RawChange[],
  files: readonly FileChange[],
  maxBytes: number,
): Promise<FileChange[]> {
  const whole = await git(["diff-tree", "-p", ...args], { ...LITERAL, maxBytes: MAX_PATCHES_BYTES });
  const parts = splitPatch(whole.stdout, raw);
  const last = parts.findLastIndex((part) => part !== "");
  return files.map((file, i) => {
    const part = parts[i] ?? "";
    const cut = part.length > maxBytes || (whole.truncated && i >= last);
    return { ...file, unified: part.slice(0, maxBytes), ...(cut ? { truncated: true } : {}) };
  });
}

/** Explicit, because people configure each of these; nothing a repository names is run. */
const OPTIONS = [
  "-r",
  "-M",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--submodule=short",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--unified=3",
];
/** A file may be called `*`. */
const LITERAL: GitOptions = { env: { GIT_LITERAL_PATHSPECS: "1" } };

/** The files as a tree in a store of its own that goes away: looking leaves nothing in the repository. */
async function withFilesAsTree<T>(repository: Repository, use: (git: Git, tree: string) => Promise<T>): Promise<T> {
  const { root, gitDir, objects } = repository;
  const folder = mkdtempSync(join(tmpdir(), "cox-diff-"));
  try {
    const index = join(folder, "index");
    if (existsSync(join(gitDir, "index"))) copyIndex(join(gitDir, "index"), index);
    const env = { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(objects) };
    const bound = bind(root, env);
    const { tree } = await snapshot(bound, { root, index });
    return await use(bound, tree);
  } finally {
    removeTree(folder);
  }
}

/** The variable is a list with colons; a name with one in it is written in quotes. */
const quotedPath = (path: string) => `"${path.replace(/["\\]/g, "\\$&")}"`;

const bind =
  (root: string, env: Readonly<Record<string, string>> = {}): Git =>
  (args, options = {}) =>
    // A split index would leave its other half in the repository.
    git(root, args, { ...options, env: { ...env, ...options.env }, settings: [["core.splitIndex", "false"]] });

async function requireCommit(root: string, name: string): Promise<string> {
  const commit = await commitOf(at(root), name);
  if (commit !== undefined) return commit;
  throw new AppError("workspace.invalid", `${name}: the repository ${root} has no such commit or branch`);
}

async function emptyTree(root: string): Promise<string> {
  return line(await plumbing(root, ["hash-object", "-t", "tree", "--stdin"], { input: "" }));
}
