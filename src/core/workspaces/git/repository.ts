import { readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { isWithin } from "../../../lib/files/within.ts";
import { type Git, line, plumbing } from "./git.ts";

export interface Repository {
  /** The top folder of the checkout. */
  root: string;
  gitDir: string;
  /** The same for all worktrees of a repository. */
  commonDir: string;
  objects: string;
  objectFormat: string;
  head: Head;
}

export interface Head {
  /** Missing when detached. */
  branch?: string;
  /** Missing before the first commit. */
  commit?: string;
}

/** The repository a folder belongs to; `undefined` when it belongs to none. */
export async function repositoryOf(path: string): Promise<Repository | undefined> {
  const folder = realFolder(path);
  if (!hasDotGit(folder)) return undefined;
  const { lines, head } = await withHead(folder, ["--path-format=absolute", ...PLACES]);
  const [root = "", gitDir = "", commonDir = "", objects = "", objectFormat = "", ...more] = lines;
  if (objectFormat === "" || more.length > 0) throw invalid(path, "its name contains a line break; rename it");
  // `core.worktree` may point anywhere, also at somebody's home.
  if (!isWithin(folder, root)) throw invalid(path, `its repository is configured for other files, ${root}`);
  return { root, gitDir, commonDir, objects, objectFormat, head };
}

export async function requireRepository(path: string): Promise<Repository> {
  return (await repositoryOf(path)) ?? fail(invalid(path, "is not in a git repository; run `git init` there first"));
}

const PLACES = ["--show-toplevel", "--git-dir", "--git-common-dir", "--git-path", "objects", "--show-object-format"];

export const headOf = async (folder: string): Promise<Head> => (await withHead(folder, [])).head;

/** What else is asked comes with it: each git costs as much as all of its answers. */
async function withHead(folder: string, asked: readonly string[]): Promise<{ lines: string[]; head: Head }> {
  const args = ["rev-parse", ...asked, "-q", "HEAD^{commit}", "--symbolic-full-name", "HEAD", "--"];
  const answer = await plumbing(folder, args, { answers: [UNBORN] });
  const lines = line(answer).split("\n");
  if (answer.code !== UNBORN) {
    const [commit, name = ""] = lines.splice(-3);
    return { lines, head: { commit, branch: branchIn(name) } };
  }
  // Before the first commit, or in a repository that can't be read at all: then this says so.
  const name = line(await plumbing(folder, ["symbolic-ref", "-q", "HEAD"], { answers: [1] }));
  const rest = asked.length === 0 ? [] : line(await plumbing(folder, ["rev-parse", ...asked])).split("\n");
  return { lines: rest, head: { branch: branchIn(name) } };
}

/** What git exits with when a name stands for nothing. */
const UNBORN = 128;

const branchIn = (name: string): string | undefined =>
  name.startsWith("refs/heads/") ? name.slice("refs/heads/".length) : undefined;

/** The commit a name stands for; `undefined` when there is none. */
export async function commitOf(git: Git, name: string): Promise<string | undefined> {
  const args = ["rev-parse", "-q", "--verify", "--end-of-options", `${name}^{commit}`];
  return line(await git(args, { answers: [1] })) || undefined;
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw invalid(path, "does not exist");
  }
}

/** As git looks for one: an empty folder of that name is none, but a place where an isolated agent has its own. */
export function isCheckout(folder: string): boolean {
  const dotGit = join(folder, ".git");
  const facts = statSync(dotGit, { throwIfNoEntry: false });
  return facts !== undefined && (!facts.isDirectory() || readdirSync(dotGit).length > 0);
}

export function hasDotGit(folder: string): boolean {
  if (isCheckout(folder)) return true;
  const parent = dirname(folder);
  return parent !== folder && hasDotGit(parent);
}

function invalid(path: string, why: string): AppError {
  return new AppError("workspace.invalid", `workspace ${path}: ${why}`, { path });
}

function fail(error: Error): never {
  throw error;
}
