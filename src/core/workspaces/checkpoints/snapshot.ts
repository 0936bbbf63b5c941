import { accessSync, constants, existsSync, lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import { bytesOf, type Git, type GitOptions, line, names, nulList } from "../git/git.ts";

export interface Snapshot {
  tree: string;
  /** Files that are there but not in the tree, or not as they are. */
  skipped: Skipped[];
  /** Whether the index was brought up to date; else it was so already. */
  changed: boolean;
  /** Whether each file that was asked for is in the tree now. */
  complete: boolean;
}

export interface Skipped {
  /** A byte string. */
  path: string;
  why: "large" | "unreadable" | "repository";
}

export interface SnapshotLimits {
  fileBytes: number;
  /** Of all files that are new or changed since the index was written. */
  totalBytes: number;
}

const snapshotLimits: SnapshotLimits = { fileBytes: 50 * 1024 ** 2, totalBytes: 1024 ** 3 };

const TIMEOUT_MS = 10 * 60_000;

/**
 * A tree of all files that are tracked or could be: `index` says what is known already, and is brought up to date. `also`: names
 * to look at that git wouldn't list, since they are ignored. `tree`: that of the index, where it is known.
 */
export async function snapshot(
  git: Git,
  { root, index, also = [], tree }: { root: string; index: string; also?: readonly string[]; tree?: string },
  limits = snapshotLimits,
): Promise<Snapshot> {
  const options = { env: { GIT_INDEX_FILE: index }, timeoutMs: TIMEOUT_MS };
  const listed = names(await git(["ls-files", "-z", "--modified", "--others", "--exclude-standard"], options));
  const { take, drop, skipped } = sort(root, new Set([...listed, ...also]), limits);
  const update = (how: readonly string[], list: readonly string[]) =>
    git(["update-index", "-z", ...how, "--stdin"], { ...options, input: nulList(list), writes: true });
  // First what is gone: a folder may have taken the place of a file.
  if (drop.length > 0) await update(["--force-remove"], drop);
  // `--remove`, because a file may go between our look and git's.
  if (take.length > 0) await update(["--add", "--remove", "--replace"], take);
  const changed = drop.length > 0 || take.length > 0;
  const present = changed || tree === undefined ? await treeOf(git, options) : tree;
  return { tree: present, skipped, changed, complete: drop.length === 0 && skipped.length === 0 };
}

const treeOf = async (git: Git, options: GitOptions): Promise<string> =>
  line(await git(["write-tree", "--missing-ok"], { ...options, writes: true }));

interface Sorted {
  take: string[];
  drop: string[];
  skipped: Skipped[];
}

function sort(root: string, candidates: Iterable<string>, { fileBytes, totalBytes }: SnapshotLimits): Sorted {
  const sorted: Sorted = { take: [], drop: [], skipped: [] };
  const isFolder = realFolders(root);
  let total = 0;
  for (const path of candidates) {
    const file = isFolder(parentOf(path)) ? look(root, path) : "none";
    if (file === "repository") sorted.skipped.push({ path: path.replace(/\/$/, ""), why: file });
    else if (file === "unreadable") sorted.skipped.push({ path, why: file });
    else if (file === "none") sorted.drop.push(path);
    else if (file.size > fileBytes || total + file.size > totalBytes) sorted.skipped.push({ path, why: "large" });
    else {
      total += file.size;
      sorted.take.push(path);
    }
  }
  return sorted;
}

function look(root: string, path: string): { size: number } | "none" | "unreadable" | "repository" {
  // Git lists a repository within the repository as one folder: its files are its own affair.
  if (path.endsWith("/")) return "repository";
  try {
    const stat = statOf(root, path);
    if (stat === undefined) return "none";
    if (stat.isDirectory()) return existsSync(fullPath(root, `${path}/.git`)) ? "repository" : "none";
    if (stat.isFile()) accessSync(fullPath(root, path), constants.R_OK);
    return stat.isFile() || stat.isSymbolicLink() ? { size: stat.size } : "none";
  } catch {
    return "unreadable";
  }
}

/** Behind a link there are other files, whatever their names. Each folder is looked at once. */
function realFolders(root: string): (folder: string) => boolean {
  const known = new Map([["", true]]);
  const isFolder = (folder: string): boolean => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const answer = isFolder(parentOf(folder)) && isDirectory(root, folder);
    known.set(folder, answer);
    return answer;
  };
  return isFolder;
}

function isDirectory(root: string, folder: string): boolean {
  try {
    return statOf(root, folder)?.isDirectory() ?? false;
  } catch {
    return true; // closed to us: so are the files in it, and that is said of them
  }
}

const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/", path.length - 2), 0));

/** `undefined` when there is nothing; a link is itself, not what it points to. */
export function statOf(root: string, path: string): Stats | undefined {
  try {
    return lstatSync(fullPath(root, path));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT" || errno === "ENOTDIR") return undefined;
    throw error;
  }
}

export const fullPath = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(join(root, "/")), bytesOf(path)]);
