import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../base/disk-error.ts";
import { type Place, placeOf } from "./record.ts";

const DEPTH = 5;
const FOLDERS = 5000;

/** The `.git` of other repositories in a workspace, links not followed; a bounded look, which leaves out what programs install. */
export function nestedGits(workspace: string): Place[] {
  const found: Place[] = [];
  let level = [workspace];
  let left = FOLDERS;
  for (let depth = 0; depth <= DEPTH && level.length > 0 && left > 0; depth += 1) {
    const folders = level.slice(0, left);
    left -= folders.length;
    level = folders.flatMap((folder) => {
      const entries = entriesOf(folder);
      const own = entries.find(({ name }) => name === ".git");
      if (own !== undefined && !own.isSymbolicLink() && folder !== workspace) found.push(placeOf(join(folder, ".git")));
      const inner = entries.filter((entry) => entry.isDirectory() && !LEFT_OUT.has(entry.name));
      return inner.map(({ name }) => join(folder, name));
    });
  }
  return found;
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
