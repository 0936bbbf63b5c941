import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { wrap } from "../../contract/errors.ts";
import { errnoOf } from "./disk-error.ts";

export interface RegularFile {
  fd: number;
  size: number;
  mtimeMs: number;
}

/**
 * For reading; whoever calls this closes it. `undefined` when there is none, or when a link, a pipe, a device or a folder
 * stands in its place: what that leads to is nobody's business.
 */
export function openRegularFile(path: string): RegularFile | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(errnoOf(error))) return undefined;
    throw wrap(`read ${path}`, error, "store.damaged");
  }
  const facts = fstatSync(fd);
  if (facts.isFile()) return { fd, size: facts.size, mtimeMs: facts.mtimeMs };
  closeSync(fd);
  return undefined;
}

/**
 * The bytes from one offset to another, in slices that end with a line. The buffer is used again for the next slice. What
 * follows the last newline is left out.
 */
export function* lineSlices(fd: number, from: number, to: number, sliceBytes = SLICE_BYTES): Generator<Buffer> {
  let buffer = Buffer.allocUnsafe(Math.min(sliceBytes, Math.max(to - from, 0)));
  let offset = from;
  while (offset < to) {
    const wanted = Math.min(buffer.length, to - offset);
    const count = readSync(fd, buffer, 0, wanted, offset);
    if (count === 0) return;
    const end = buffer.lastIndexOf(LF, count - 1) + 1;
    if (end > 0) {
      offset += end;
      yield buffer.subarray(0, end);
    } else if (offset + count >= to) return;
    // A line longer than the buffer: growing it keeps the reading linear.
    else buffer = Buffer.allocUnsafe(buffer.length * 2);
  }
}

/** A file's bytes from the beginning to where it ends now; nothing when there is no such file. */
export function* readChunks(path: string): Generator<Buffer> {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return;
    throw wrap(`read ${path}`, error, "store.damaged");
  }
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafe(SLICE_BYTES);
      const count = readSync(fd, buffer, 0, SLICE_BYTES, null);
      if (count === 0) return;
      yield buffer.subarray(0, count);
    }
  } finally {
    closeSync(fd);
  }
}

const LF = 10;
const SLICE_BYTES = 256 * 1024;
