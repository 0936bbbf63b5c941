import { constants, lstatSync, openSync, readdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { shorten } from "../../contract/ids.ts";
import { errnoOf } from "../../lib/files/disk-error.ts";
import { isWithin } from "../../lib/files/within.ts";
import { git, names, shown } from "./git/git.ts";
import { repositoryOf } from "./git/repository.ts";

export interface FolderEntry {
  name: string;
  type: "file" | "folder" | "link";
  size?: number;
}

const MAX_ENTRIES = 2000;
/** Without git everything is looked at, but not a whole disk. */
const MAX_WALKED = 50_000;

/** One folder of a workspace: folders first. */
export function listFolder(root: string, path: string): { entries: FolderEntry[]; truncated: boolean } {
  const folder = insideOf(root, path);
  const found = readFolder(folder, path);
  const entries = found.slice(0, MAX_ENTRIES).map((entry): FolderEntry => {
    if (entry.isSymbolicLink()) return { name: entry.name, type: "link" };
    if (entry.isDirectory()) return { name: entry.name, type: "folder" };
    return {
      name: entry.name,
      type: "file",
      size: lstatSync(join(folder, entry.name), { throwIfNoEntry: false })?.size,
    };
  });
  const order = (a: FolderEntry, b: FolderEntry) =>
    Number(b.type === "folder") - Number(a.type === "folder") || (a.name < b.name ? -1 : 1);
  return { entries: entries.sort(order), truncated: found.length > MAX_ENTRIES };
}

/** Files whose path fits, the best first: a name that begins with the text, one that contains it, then letters in order. */
export async function searchFiles(root: string, text: string, limit: number): Promise<string[]> {
  const wanted = text.toLowerCase();
  const rated = (await allFiles(root)).flatMap((path) => {
    const rank = rankOf(path.toLowerCase(), wanted);
    return rank === undefined ? [] : [{ path, rank }];
  });
  rated.sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  return rated.slice(0, limit).map(({ path }) => path);
}

function rankOf(path: string, wanted: string): number | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let at = -1;
  for (const letter of wanted) {
    at = path.indexOf(letter, at + 1);
    if (at === -1) return undefined;
  }
  return 3;
}

/** What git would show; where there is no git, all but hidden folders and dependencies. */
async function allFiles(root: string): Promise<string[]> {
  if ((await repositoryOf(root)) === undefined) return [...walk(root)];
  const listed = await git(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]);
  return names(listed).map(shown);
}

function* walk(root: string): Generator<string> {
  const folders = [""];
  let count = 0;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of readFolder(join(root, folder), folder)) {
      if ((count += 1) > MAX_WALKED) return;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) yield path;
      else if (entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules") folders.push(path);
    }
  }
}

/** The file's descriptor, for reading. Nothing outside the workspace, also not through a link in it. */
export function openInside(root: string, path: string): number {
  const file = insideOf(root, path);
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(path, errnoOf(error));
  }
}

function insideOf(root: string, path: string): string {
  const base = realpathSync(root);
  const wanted = resolve(base, path);
  if (path.includes("\0") || !isWithin(wanted, base)) throw outside(path);
  const real = realOf(wanted, path);
  if (!isWithin(real, base)) throw outside(path);
  return real;
}

function realOf(wanted: string, path: string): string {
  try {
    return realpathSync(wanted);
  } catch (error) {
    throw unreadable(path, errnoOf(error));
  }
}

function readFolder(folder: string, path: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw unreadable(path, errnoOf(error));
  }
}

const outside = (path: string) =>
  new AppError("workspace.invalid", `${JSON.stringify(shorten(path))}: is outside the workspace`);
const unreadable = (path: string, why: string | undefined) =>
  new AppError(
    "file.not_found",
    `${JSON.stringify(shorten(path))}: can't be read in the workspace (${why ?? "unknown"})`,
  );
