import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AppError } from "../../../../contract/errors.ts";
import { errnoOf } from "../../../../lib/files/disk-error.ts";

/** The git directory of a checkout, and the one that all worktrees of its repository share. */
export interface PersonsGit {
  gitDir: string;
  commonDir: string;
}

/** What stands at `.git`: a folder that isn't one of git's is as good as none, anything else that isn't is `odd`. */
export type FoundGit = { git: PersonsGit } | { none: true } | { odd: string };

/**
 * The git of a workspace, without asking git, which would believe anything. `knownCommon` is the repository that a worktree of
 * ours was made from: then nothing is read from the workspace at all.
 */
export function findGit(workspace: string, knownCommon?: string): FoundGit {
  const dotGit = join(workspace, ".git");
  const facts = factsOf(dotGit);
  if (facts === undefined) return { none: true };
  if (facts.isSymbolicLink()) throw linkError(dotGit);
  if (facts.isDirectory()) return knownCommon === undefined ? inFolder(dotGit) : { odd: "is a folder" };
  if (!facts.isFile()) return { odd: "is neither a file nor a folder" };
  try {
    if (knownCommon !== undefined) return linkedTo(realpathSync(knownCommon), dotGit);
    return byFile(workspace, dotGit);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return { odd: "names a folder that is gone" };
    throw error;
  }
}

function inFolder(folder: string): FoundGit {
  if (readdirSync(folder).length === 0) return { none: true };
  if (factsOf(join(folder, "commondir")) !== undefined) return { odd: "names another repository as its own" };
  const isRepository = factsOf(join(folder, "objects"))?.isDirectory() && factsOf(join(folder, "HEAD"));
  return isRepository ? { git: { gitDir: folder, commonDir: folder } } : { odd: "is not a repository" };
}

/** Believed is only a repository that knows this very checkout: as a worktree, or as a submodule. */
function byFile(workspace: string, dotGit: string): FoundGit {
  const [, named = ""] = /^gitdir: (.+)$/m.exec(readFileSync(dotGit, "utf8")) ?? [];
  const own = realpathSync(resolve(workspace, named));
  if (factsOf(join(own, "commondir")) !== undefined) return linkedTo(dirname(dirname(own)), dotGit);
  const [, worktree = ""] = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(readFileSync(join(own, "config"), "utf8")) ?? [];
  if (worktree === "" || realpathSync(resolve(own, worktree)) !== workspace) return { odd: UNKNOWN_THERE };
  return { git: { gitDir: own, commonDir: own } };
}

function linkedTo(commonDir: string, dotGit: string): FoundGit {
  const worktrees = join(commonDir, "worktrees");
  for (const name of readdirSync(worktrees)) {
    const gitDir = join(worktrees, name);
    if (factsOf(join(gitDir, "gitdir")) === undefined) continue;
    if (resolve(gitDir, readFileSync(join(gitDir, "gitdir"), "utf8").trim()) !== dotGit) continue;
    const common = realpathSync(resolve(gitDir, readFileSync(join(gitDir, "commondir"), "utf8").trim()));
    if (common === commonDir && factsOf(join(commonDir, "objects"))?.isDirectory())
      return { git: { gitDir, commonDir } };
  }
  return { odd: UNKNOWN_THERE };
}

const UNKNOWN_THERE = "names a repository that knows nothing of this folder";

export interface HeadNow {
  /** The branch's full name; missing when detached. */
  ref?: string;
  /** Of a detached one only. */
  commit?: string;
}

export function readHead({ gitDir }: PersonsGit): HeadNow {
  const file = join(gitDir, "HEAD");
  const text = factsOf(file)?.isSymbolicLink() ? `ref: ${readlinkSync(file)}` : readFileSync(file, "utf8");
  const [, ref] = /^ref:\s*(\S+)/.exec(text) ?? [];
  return ref === undefined ? { commit: text.trim() } : { ref };
}

/** What is found there, links not followed; `undefined` for nothing. */
export function factsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

export function linkError(path: string): AppError {
  const message = `workspace: ${path}: is a link, and an isolated agent could make it lead anywhere; put what it leads to in its place, or use --on local`;
  return new AppError("workspace.invalid", message, { path });
}
