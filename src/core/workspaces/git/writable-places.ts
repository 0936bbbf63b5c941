import { closeSync, readdirSync, readSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import { openRegularFile } from "../../../lib/files/regular-file.ts";
import { distrust } from "../../../lib/process/path/distrust.ts";

/** Nothing that we start comes from where agents work: see process/distrust.ts. */
export function distrustWorkspace(folder: string): void {
  if (known.has(folder)) return;
  known.add(folder);
  distrust(writablePlaces(folder));
}
const known = new Set<string>();

/**
 * Where an agent that works in a folder can write: there, in the checkout it belongs to, and in all others of that repository.
 * Read from files alone, since whoever asks git must have found it first. These files are the agent's to write as well, so a
 * place counts only where both ends name each other: else it could have /usr/bin passed over.
 */
export function writablePlaces(folder: string): string[] {
  const roots = above(folder).filter((place) => gitDirOf(place) !== undefined);
  const shared = new Set(roots.flatMap((root) => sharedDirOf(root) ?? []));
  return [...new Set([folder, ...roots, ...[...shared].flatMap(checkoutsOf)])];
}

function above(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...above(parent)];
}

/** Of the checkout that begins here, if one does. */
function gitDirOf(root: string): string | undefined {
  const dotGit = join(root, ".git");
  if (namesIn(dotGit).includes("HEAD")) return dotGit;
  const named = /^gitdir: (.+)$/m.exec(firstBytes(dotGit))?.[1];
  return named === undefined ? undefined : resolve(root, named);
}

/** The directory that all worktrees of a repository have in common. */
function sharedDirOf(root: string): string | undefined {
  const [gitDir, dotGit] = [gitDirOf(root), join(root, ".git")];
  if (gitDir === undefined || gitDir === dotGit) return gitDir;
  const back = firstBytes(join(gitDir, "gitdir")).trim();
  const shared = firstBytes(join(gitDir, "commondir")).trim();
  return back !== "" && resolve(gitDir, back) === dotGit && shared !== "" ? resolve(gitDir, shared) : undefined;
}

function checkoutsOf(commonDir: string): string[] {
  const main = basename(commonDir) === ".git" ? [dirname(commonDir)] : [];
  const linked = namesIn(join(commonDir, "worktrees")).flatMap((name) => {
    const dotGit = firstBytes(join(commonDir, "worktrees", name, "gitdir")).trim();
    if (basename(dotGit) !== ".git") return [];
    const root = dirname(resolve(commonDir, "worktrees", name, dotGit));
    return sharedDirOf(root) === commonDir ? [root] : [];
  });
  return [...main, ...linked];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(errnoOf(error))) return [];
    throw error;
  }
}

const MAX_BYTES = 8192;

/** Of a file, and of nothing that only looks like one: a pipe would hold us up. */
function firstBytes(path: string): string {
  const file = openRegularFile(path);
  if (file === undefined) return "";
  try {
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.toString("utf8", 0, readSync(file.fd, bytes, 0, MAX_BYTES, 0));
  } finally {
    closeSync(file.fd);
  }
}
