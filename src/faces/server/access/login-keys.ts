import { mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../../core/store/home.ts";
import { createFileExclusive } from "../../../lib/files/atomic-file.ts";
import { diskError, errnoOf } from "../../../lib/files/disk-error.ts";
import { hashOf, newToken } from "../../../lib/http/access/token.ts";

/**
 * The one-time key that opens the page in a browser. It is a file, `logins/<hash>`, so that anybody who may read this home can
 * make one for a server that is running already; whoever uses it removes the file, and only one can.
 */
export const KEY_LIFE_MS = 60_000;

const folderOf = (home: Home): string => join(home.root, "logins");

export function makeLoginKey(home: Home, now: number): string {
  const key = newToken();
  try {
    mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("make a sign-in key", folderOf(home), error);
  }
  createFileExclusive(join(folderOf(home), hashOf(key)), String(now));
  dropOldKeys(home, now);
  return key;
}

/** `true` once for each key, and not after its time. */
export function useLoginKey(home: Home, key: string, now: number): boolean {
  const path = join(folderOf(home), hashOf(key));
  try {
    const made = Number(readFileSync(path, "utf8"));
    unlinkSync(path); // of two who read it, one removes it
    return isFresh(made, now);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** A key from the future is none: the clock was set back, or somebody wrote it. */
const isFresh = (made: number, now: number): boolean => now - made >= 0 && now - made <= KEY_LIFE_MS;

function dropOldKeys(home: Home, now: number): void {
  for (const name of readdirSync(folderOf(home))) {
    const path = join(folderOf(home), name);
    if (!isFresh(madeAt(path), now)) rmSync(path, { force: true });
  }
}

function madeAt(path: string): number {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch {
    return 0; // just used
  }
}
