import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from "node:fs";
import { randomBytes } from "../../base/crypto.ts";
import { diskError, errnoOf } from "../disk-error.ts";

/**
 * A folder and all that is in it, or whatever else stands there; fine if nothing does. What an agent left may be nested deeper
 * than a path can name, closed to its owner (as Go's modules are), or turn into links while we look. So each folder is opened
 * without following a link and what is in it is named through that handle; folders within it are moved up beside it: there are
 * never more than two levels, and nothing outside is touched.
 */
export function removeTree(path: string): void {
  try {
    const top = openFolder(Buffer.from(path));
    if (top === undefined) return rmSync(path, { force: true });
    try {
      emptyFolder(top);
    } finally {
      closeSync(top.fd);
    }
    quietly(() => rmdirSync(path));
  } catch (error) {
    throw diskError("delete", path, error);
  }
}

interface Folder {
  fd: number;
  /** Ends with a slash. */
  path: Buffer;
}

/** Somebody may still write there. */
const ROUNDS = 5;

function emptyFolder(top: Folder): void {
  const prefix = `.deleted-${randomBytes(6).toString("hex")}-`;
  let moved = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const waiting = namesIn(top);
    if (waiting.length === 0) return;
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const path = within(top, name);
      const folder = openFolder(path);
      if (folder === undefined) {
        quietly(() => unlinkSync(path));
        continue;
      }
      try {
        for (const entry of readdirSync(folder.path, { withFileTypes: true, encoding: "buffer" })) {
          const inner = within(folder, entry.name);
          if (!entry.isDirectory()) quietly(() => unlinkSync(inner));
          else {
            moved += 1;
            const next = Buffer.from(`${prefix}${moved}`);
            moveFolder(inner, within(top, next));
            waiting.push(next);
          }
        }
      } finally {
        closeSync(folder.fd);
      }
      quietly(() => rmdirSync(path));
    }
  }
}

/** To move a folder is to write into it. */
function moveFolder(from: Buffer, to: Buffer): void {
  try {
    renameSync(from, to);
  } catch (error) {
    const folder = errnoOf(error) === "EACCES" ? openFolder(from) : undefined;
    if (folder === undefined) throw error;
    closeSync(folder.fd);
    renameSync(from, to);
  }
}

/** `undefined` when it is none; its owner may do everything in it afterwards. */
function openFolder(path: Buffer): Folder | undefined {
  let fd: number;
  try {
    fd = openSync(path, FOLDER);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT" || errno === "ENOTDIR" || errno === "ELOOP") return undefined;
    if (errno !== "EACCES" || !HANDLES) throw error;
    unlock(path);
    fd = openSync(path, FOLDER);
  }
  if ((fstatSync(fd).mode & 0o700) !== 0o700) fchmodSync(fd, 0o700);
  return { fd, path: HANDLES ? Buffer.from(`/proc/self/fd/${fd}/`) : Buffer.concat([path, SLASH]) };
}

/** By a handle that reads nothing, so that a link in its place is never what changes. */
function unlock(path: Buffer): void {
  const fd = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    chmodSync(`/proc/self/fd/${fd}`, 0o700);
  } finally {
    closeSync(fd);
  }
}

/** Names need not be UTF-8. */
const namesIn = ({ path }: Folder): Buffer[] => readdirSync(path, { encoding: "buffer" });
const within = ({ path }: Folder, name: Buffer): Buffer => Buffer.concat([path, name]);

/** Another one may be deleting the same. */
function quietly(deed: () => void): void {
  try {
    deed();
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

/** Where they are missing (macOS) paths do, and are short. */
const HANDLES = existsSync("/proc/self/fd");
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const O_PATH = 0o10000000;
const SLASH = Buffer.from("/");
