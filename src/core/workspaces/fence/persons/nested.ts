import { type Dirent, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../../../lib/files/disk-error.ts";
import { type Place, placeOf } from "./record.ts";

const DEPTH = 5;
const FOLDERS = 10_000;

export interface Nested {
  gits: Place[];
  /** There were more folders than anybody should wait for. */
  cutShort: boolean;
}

/**
 * Git directories in a workspace, whatever they are called, except its own `.git`: git takes any folder for one that looks like
 * it. Links are not followed. A bounded look, which leaves out what programs install.
 */
export function nestedGits(workspace: string, folders = FOLDERS): Nested {
  const gits: Place[] = [];
  let level = [workspace];
  let left = folders;
  for (let depth = 0; depth <= DEPTH; depth += 1) {
    if (level.length > left) return { gits, cutShort: true };
    left -= level.length;
    level = level.flatMap((folder) => {
      const entries = entriesOf(folder);
      if (looksLikeGit(entries.map(({ name }) => name))) {
        gits.push(placeOf(folder));
        if (folder !== workspace) return [];
      }
      const own = entries.find(({ name }) => name === ".git");
      if (folder !== workspace && own !== undefined) gits.push(...dotGitOf(join(folder, ".git"), own));
      const inner = entries.filter((entry) => entry.isDirectory() && !LEFT_OUT.has(entry.name));
      return inner.map(({ name }) => join(folder, name));
    });
  }
  return { gits, cutShort: false };
}

/** As git decides it, from the names alone; a folder with `commondir` has the rest elsewhere. */
const looksLikeGit = (names: readonly string[]) =>
  names.includes("HEAD") && (names.includes("commondir") || (names.includes("objects") && names.includes("refs")));

/** A link can't be held, but one that leads elsewhere than before can be told. */
function dotGitOf(path: string, entry: Dirent): Place[] {
  if (entry.isSymbolicLink()) return [{ path, inode: `${LINK}${readlinkSync(path)}` }];
  return entry.isDirectory() || entry.isFile() ? [placeOf(path)] : [];
}

const LINK = "-> ";
export const isLink = ({ inode }: Place): boolean => inode.startsWith(LINK);

const LEFT_OUT = new Set([".git", "node_modules"]);

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (["EACCES", "EPERM", "ENOENT", "ENOTDIR"].includes(errnoOf(error))) return []; // nobody's to look into, or just gone
    throw error;
  }
}
