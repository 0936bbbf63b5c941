import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const DEPTH = 5;

/** A repository's folder of objects, and those it borrows from, by git's own rules. */
export function objectFolders(commonDir: string): string[] {
  const found: string[] = [];
  const follow = (path: string, depth: number) => {
    if (!looksRight(path)) return;
    const folder = realpathSync(path);
    if (found.includes(folder)) return;
    found.push(folder);
    if (depth < DEPTH) for (const other of borrowed(folder)) follow(other, depth + 1);
  };
  follow(join(commonDir, "objects"), 0);
  return found;
}

/** A name alone proves nothing: somebody's keys are not to be shown because a file calls them objects. */
const looksRight = (folder: string) => ["info", "pack"].some((name) => isFolder(join(folder, name)));
const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function borrowed(folder: string): string[] {
  const file = join(folder, "info/alternates");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => resolve(folder, unquoted(line)));
}

function unquoted(line: string): string {
  return /^".*"$/.test(line) ? line.slice(1, -1).replace(/\\(["\\])/g, "$1") : line;
}
