import { readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { fullPath, statOf } from "./snapshot.ts";

/**
 * Makes room for a file, or says why it can't be put there. Empty folders go; git would clear any folder out of the way,
 * ignored files and all.
 */
export function makeRoom(root: string, path: string): string | undefined {
  for (const folder of foldersOf(path)) {
    const stat = statOf(root, folder);
    if (stat === undefined) return undefined;
    if (!stat.isDirectory()) return "something that is no folder is in the place of one";
  }
  if (!statOf(root, path)?.isDirectory() || removeEmptyFolders(root, path)) return undefined;
  return "a folder that is not empty is in its place";
}

/** A folder in which there are only folders. `false`: there is more, and what was looked at before may be gone already. */
function removeEmptyFolders(root: string, folder: string): boolean {
  const names = readdirSync(fullPath(root, folder), { encoding: "latin1" });
  for (const name of names) {
    const path = `${folder}/${name}`;
    if (!statOf(root, path)?.isDirectory() || !removeEmptyFolders(root, path)) return false;
  }
  return removeEmpty(root, folder);
}

/** Removes a file and the folders that are empty without it; `false` when there is something else, or a link on the way. */
export function removeFile(root: string, path: string): boolean {
  const folders = foldersOf(path);
  for (const folder of folders) {
    const stat = statOf(root, folder);
    if (stat === undefined) return true;
    if (!stat.isDirectory()) return false;
  }
  const stat = statOf(root, path);
  if (stat?.isDirectory()) return false;
  if (stat !== undefined) unlinkSync(fullPath(root, path));
  for (const folder of folders.toReversed()) if (!removeEmpty(root, folder)) break;
  return true;
}

/** `a/b/c` → `a`, `a/b`. */
export function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}

function removeEmpty(root: string, folder: string): boolean {
  try {
    rmdirSync(fullPath(root, folder));
    return true;
  } catch {
    return false; // not empty, or not ours to remove: it may stay
  }
}
