import { constants, copyFileSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { isWithin } from "../../../lib/files/within.ts";
import { fullPath, statOf } from "../checkpoints/snapshot.ts";
import { git, names, shown } from "../git/git.ts";

/**
 * Copies files that git ignores (`.env`, `*.local.json`, `certs/`) from one checkout to another. A pattern without a slash fits
 * at any depth, as in .gitignore. Never through a link: a checkout may have one where the other has a folder.
 */
export async function copyIgnored(
  from: string,
  to: string,
  patterns: CopyPatterns,
): Promise<{ copied: string[]; notices: string[] }> {
  if (patterns.length === 0) return { copied: [], notices: [] };
  const list = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", ...patterns];
  const copied: string[] = [];
  const notices: string[] = [];
  for (const path of names(await git(from, list))) {
    // Copied before, or the base has a file of that name.
    if (statOf(to, path) !== undefined) continue;
    const why = copyOne(from, to, path);
    if (why === undefined) copied.push(shown(path));
    else notices.push(`${shown(path)} was not copied: ${why}`);
  }
  return { copied, notices };
}

export type CopyPatterns = readonly `:(top,glob)${string}`[];

/** Refused before anything is made. A pattern that fits a folder means all that is in it. */
export function copyPatterns(patterns: readonly string[]): CopyPatterns {
  return patterns.flatMap((pattern): CopyPatterns => {
    const parts = pattern.split("/");
    if (pattern === "" || isAbsolute(pattern) || parts.includes("..")) {
      throw new AppError("config.invalid", `copy ${JSON.stringify(pattern)}: name files within the repository`);
    }
    const bare = pattern.replace(/\/+$/, "");
    const deep = bare.includes("/") ? bare : `**/${bare}`;
    return [`:(top,glob)${deep}`, `:(top,glob)${deep}/**`];
  });
}

function copyOne(from: string, to: string, path: string): string | undefined {
  const stat = statOf(from, path);
  if (stat === undefined) return "it is gone";
  if (!makeFolders(to, path)) return "a link or a file is in the place of its folder";
  if (stat.isSymbolicLink()) return copyLink(from, to, path);
  if (!stat.isFile()) return "it is not a regular file";
  copyFileSync(fullPath(from, path), fullPath(to, path), constants.COPYFILE_EXCL);
  return undefined;
}

/** A link that leads out would let an agent write elsewhere; an absolute one leads to the checkout we came from. */
function copyLink(from: string, to: string, path: string): string | undefined {
  const target = readlinkSync(fullPath(from, path));
  const leads = resolve(from, dirname(shown(path)), target);
  if (isAbsolute(target) || !isWithin(leads, from)) return "it is a link that leads out of the repository";
  symlinkSync(target, fullPath(to, path));
  return undefined;
}

/** One folder after the other, so that each can be looked at. */
function makeFolders(root: string, path: string): boolean {
  const parts = path.split("/").slice(0, -1);
  for (let i = 1; i <= parts.length; i += 1) {
    const folder = join(...parts.slice(0, i));
    const stat = statOf(root, folder);
    if (stat === undefined) mkdirSync(fullPath(root, folder));
    else if (!stat.isDirectory()) return false;
  }
  return true;
}
