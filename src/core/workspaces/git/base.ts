import { AppError, messageOf } from "../../../contract/errors.ts";
import { at, type Git, git, line } from "./git.ts";
import { commitOf, type Repository } from "./repository.ts";

/** Where a worktree begins. */
export interface Base {
  commit: string;
  /** The local branch it goes back to; "" when there is none. */
  branch: string;
  notices: string[];
}

const FETCH_TIMEOUT_MS = 30_000;

/**
 * The named base, or what is checked out. What the remote has of that branch is fetched first; where that is only newer, it is
 * taken. No network is no obstacle: then the work begins at what is here, and a notice says so.
 */
export async function resolveBase(
  repository: Repository,
  name: string | undefined,
  signal?: AbortSignal,
): Promise<Base> {
  const { root, head } = repository;
  const wanted = name ?? head.branch ?? "HEAD";
  const here = at(root);
  const branch = await branchOf(here, wanted);
  const notices: string[] = [];
  const local = await commitOf(here, wanted);
  const remote = branch === undefined ? undefined : await fetchBranch(root, branch, notices, signal);
  const commit = await newer(here, local, remote);
  if (commit === undefined) throw missing(root, name);
  if (local !== undefined && commit !== local) notices.push(`began at origin/${branch}, which is ahead of ${wanted}`);
  const there = branch !== undefined && (await commitOf(here, `refs/heads/${branch}`)) !== undefined;
  return { commit, branch: there ? branch : "", notices };
}

/** `main` and `origin/main` are the branch main; a tag or a commit is none. */
async function branchOf(git: Git, name: string): Promise<string | undefined> {
  if (await hasRef(git, `refs/heads/${name}`)) return name;
  const short = name.replace(/^origin\//, "");
  if (short !== name && (await hasRef(git, `refs/remotes/${name}`))) return short;
  // Perhaps one that only the remote has.
  return (await commitOf(git, name)) === undefined && (await isBranchName(git, short)) ? short : undefined;
}

async function fetchBranch(
  root: string,
  branch: string,
  notices: string[],
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { code } = await at(root)(["config", "--get", "remote.origin.url"], { answers: [1, 2] });
  if (code !== 0) return undefined;
  const tracking = `refs/remotes/origin/${branch}`;
  // Of several settings for the program at the other end (which may be this machine) git takes the first, so ours must be an
  // option.
  const program = "--upload-pack=git-upload-pack";
  const options = [program, "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  const args = ["fetch", ...options, "origin", `+refs/heads/${branch}:${tracking}`];
  try {
    await git(root, args, { timeoutMs: FETCH_TIMEOUT_MS, signal, writes: true });
  } catch (error) {
    signal?.throwIfAborted();
    notices.push(`could not fetch ${branch} from origin, so this begins at what is here: ${messageOf(error)}`);
  }
  return commitOf(at(root), tracking);
}

/** The remote's, if it only adds to the local one. */
async function newer(git: Git, local: string | undefined, remote: string | undefined): Promise<string | undefined> {
  if (local === undefined || remote === undefined) return local ?? remote;
  return (await isAncestor(git, local, remote)) ? remote : local;
}

export async function isAncestor(git: Git, older: string, younger: string): Promise<boolean> {
  const { code } = await git(["merge-base", "--is-ancestor", older, younger], { answers: [1] });
  return code === 0;
}

async function hasRef(git: Git, ref: string): Promise<boolean> {
  const { code } = await git(["show-ref", "--verify", "--quiet", ref], { answers: [1, 128] });
  return code === 0;
}

export async function isBranchName(git: Git, name: string): Promise<boolean> {
  const result = await git(["check-ref-format", "--branch", name], { answers: [1, 128] });
  // It also understands `@{-1}`; only a name that stands for itself will do.
  return result.code === 0 && line(result) === name;
}

function missing(root: string, name: string | undefined): AppError {
  const why =
    name === undefined
      ? "it has no commit yet; commit something first"
      : `it has no branch or commit ${JSON.stringify(name)}; name another base`;
  return new AppError("workspace.invalid", `worktree of ${root}: ${why}`, { root });
}
