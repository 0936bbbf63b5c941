import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../base/disk-error.ts";
import { type Place, placeOf } from "./record.ts";

const DEPTH = 5;
const FOLDERS = 10_000;

export interface Nested {
  gits: Place[];
  /** There were more folders than anybody should wait for. */
  cutShort: boolean;
}

/** The `.git` of other repositories in a workspace, links not followed; a bounded look, which leaves out what programs install. */
export function nestedGits(workspace: string, folders = FOLDERS): Nested {
  const gits: Place[] = [];
  let level = [workspace];
  let left = folders;
  for (let depth = 0; depth <= DEPTH; depth += 1) {
    if (level.length > left) return { gits, cutShort: true };
    left -= level.length;
    level = level.flatMap((folder) => {
      const entries = entriesOf(folder);
      const own = entries.find(({ name }) => name === ".git");
      const isGit = folder !== workspace && (own?.isDirectory() || own?.isFile());
      if (isGit) gits.push(placeOf(join(folder, ".git")));
      const inner = entries.filter((entry) => entry.isDirectory() && !LEFT_OUT.has(entry.name));
      return inner.map(({ name }) => join(folder, name));
    });
  }
  return { gits, cutShort: false };
}

const LEFT_OUT = new Set([".git", "node_modules"]);

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (["EACCES", "EPERM", "ENOENT", "ENOTDIR"].includes(errnoOf(error))) return []; // nobody's to look into, or just gone
    throw error;
  }
}
