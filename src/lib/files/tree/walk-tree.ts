import { lstatSync, readdirSync, type Stats } from "node:fs";
import { errnoOf } from "../disk-error.ts";

/** A name need not be UTF-8. `stats` is missing where it can't be looked at: too deep for a path, closed, or just gone. */
export interface TreeEntry {
  path: Buffer;
  stats: Stats | undefined;
  /** The system's word for why it, or what is in it, can't be looked at. */
  errno?: string;
}

/** All there is, folders before what is in them. Links are not followed, and depth costs no stack. */
export function* walkTree(root: string | Buffer): Generator<TreeEntry> {
  const waiting = [Buffer.from(root)];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    let stats: Stats | undefined;
    try {
      stats = lstatSync(path);
      const folder = path;
      const names = stats.isDirectory() ? readdirSync(path, { encoding: "buffer" }) : [];
      // Without spreading: there may be more of them than a call takes arguments.
      for (const name of names.sort(Buffer.compare).toReversed()) waiting.push(Buffer.concat([folder, SLASH, name]));
    } catch (error) {
      const errno = errnoOf(error);
      if (errno !== "ENOENT") yield { path, stats, errno };
      continue;
    }
    yield { path, stats };
  }
}

/** What it takes of the disk: a file of holes takes little. `undefined` when there is nothing. What no path can name isn't counted. */
export function bytesOnDisk(path: string): number | undefined {
  let bytes: number | undefined;
  for (const { stats } of walkTree(path)) bytes = (bytes ?? 0) + (stats?.blocks ?? 0) * BLOCK;
  return bytes;
}

/** In which systems count, whatever the disk's own are. */
const BLOCK = 512;
const SLASH = Buffer.from("/");
