import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  renameSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { setImmediate } from "node:timers/promises";
import { AppError } from "../../../contract/errors.ts";
import { formatBytes } from "../../../contract/words/figures.ts";
import { diskError } from "../disk-error.ts";
import { removeTree } from "./remove-tree.ts";
import { type TreeEntry, walkTree } from "./walk-tree.ts";

export interface CopyLimits {
  /** As files say it, holes included: a file of holes costs as much to read as it claims to be. */
  bytes: number;
  entries: number;
}

/**
 * A folder with its files, folders and links as they are; pipes and sockets have nothing to copy. What is too much is refused
 * before anything is made; it is there whole or not at all, and a signal ends it between two pieces of a file.
 */
export async function copyTree(from: string, to: string, limits: CopyLimits, signal?: AbortSignal): Promise<void> {
  const entries = await measured(from, limits, signal);
  const part = `${to}.part`;
  removeTree(part); // of one that was killed
  try {
    for (const entry of entries) await copyEntry(entry, placeIn(part, entry.path, from), signal);
    renameSync(part, to);
  } catch (error) {
    removeTree(part);
    if (signal?.aborted) throw error;
    throw error instanceof AppError ? error : diskError(`copy ${from}`, to, error);
  }
}

async function measured(from: string, limits: CopyLimits, signal?: AbortSignal): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  let bytes = 0;
  for (const entry of walkTree(from)) {
    // Whoever wants us to stop must be heard.
    if (entries.length % BREATH === 0) await setImmediate();
    signal?.throwIfAborted();
    if (entry.errno !== undefined) throw unseen(from, entry.errno);
    if (entry.stats?.isFile()) bytes += entry.stats.size;
    if (bytes > limits.bytes) throw tooMuch(from, `more than ${formatBytes(limits.bytes)}`, entry);
    if (entries.push(entry) > limits.entries) throw tooMuch(from, `more than ${limits.entries} files`, entry);
  }
  return entries;
}

const BREATH = 500;

const tooMuch = (from: string, much: string, { path, stats }: TreeEntry) =>
  new AppError(
    "limit.exceeded",
    `copy ${from}: it holds ${much}, among them ${path.toString()} (${formatBytes(stats?.size ?? 0)}); delete what isn't needed there`,
    { path: from },
  );

const unseen = (from: string, errno: string) =>
  errno === "ENAMETOOLONG"
    ? new AppError("limit.exceeded", `copy ${from}: its folders are nested too deep; delete what isn't needed there`)
    : diskError("copy", from, Object.assign(new Error(errno), { code: errno }));

const placeIn = (to: string, path: Buffer, from: string): Buffer =>
  Buffer.concat([Buffer.from(to), path.subarray(Buffer.byteLength(from))]);

async function copyEntry({ path, stats }: TreeEntry, to: Buffer, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  // What is closed to its owner couldn't be filled.
  if (stats?.isDirectory()) mkdirSync(to, { mode: (stats.mode & 0o777) | 0o700 });
  else if (stats?.isSymbolicLink()) symlinkSync(readlinkSync(path, { encoding: "buffer" }), to);
  else if (stats?.isFile()) await copyFile(path, to, stats.mode & 0o777, signal);
}

/** Piece by piece: what the system copies at once can't be stopped, and fills every hole. */
async function copyFile(from: Buffer, to: Buffer, mode: number, signal?: AbortSignal): Promise<void> {
  const source = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const target = openSync(to, "wx", mode);
    try {
      const { size } = fstatSync(source);
      const piece = Buffer.allocUnsafe(Math.min(size, PIECE));
      for (let at = 0; at < size; ) {
        const count = readSync(source, piece, 0, piece.length, at);
        if (count === 0) break;
        const bytes = piece.subarray(0, count);
        if (!isHole(bytes)) writeAt(target, bytes, at);
        at += count;
        if (at < size) await setImmediate();
        signal?.throwIfAborted();
      }
      ftruncateSync(target, size); // it may end in a hole
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

function writeAt(fd: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}

const isHole = (bytes: Buffer): boolean => bytes.equals(NOTHING.subarray(0, bytes.length));

const PIECE = 4 * 1024 * 1024;
const NOTHING = Buffer.alloc(PIECE);
