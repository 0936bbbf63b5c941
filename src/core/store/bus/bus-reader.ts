import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { BusMessage, BusPage } from "../../../contract/bus.ts";
import { AppError, wrap } from "../../../contract/errors.ts";
import { shorten } from "../../../contract/ids.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import { BusDecoder, nextOldRecord, nextRecord } from "./bus-decoder.ts";

const SLICE_BYTES = 256 * 1024;

export interface ReadOptions {
  /** Messages after this cursor. */
  since?: string;
  /** With a cursor the first of those after it, without one the last there are. */
  limit?: number;
  type?: string;
}

export function readMessages(
  path: string,
  { since, limit = Number.POSITIVE_INFINITY, type }: ReadOptions = {},
): BusPage {
  const from = since === undefined ? startOfLast(path, limit, type) : offsetOf(path, since);
  const decoder = new BusDecoder(from);
  const messages: BusMessage[] = [];
  for (const part of decodeFile(path, from, decoder)) {
    for (const message of part) {
      if (type !== undefined && message.type !== type) continue;
      messages.push(message);
      if (messages.length >= limit && since !== undefined) {
        return { messages, cursor: message.cursor, damaged: decoder.damaged };
      }
    }
  }
  return { messages, cursor: decoder.cursor, damaged: decoder.damaged };
}

/** Messages in pieces, for a reader that doesn't want a whole bus in memory. */
export function* decodeFile(path: string, from: number, decoder: BusDecoder): Generator<BusMessage[]> {
  const fd = openForReading(path);
  if (fd === undefined) return;
  try {
    const slice = Buffer.allocUnsafe(SLICE_BYTES);
    let at = from;
    for (;;) {
      const count = readSync(fd, slice, 0, SLICE_BYTES, at);
      if (count === 0) return yield decoder.settle();
      at += count;
      // A copy: what the decoder keeps of it must not change with the next slice.
      yield decoder.push(Buffer.from(slice.subarray(0, count)));
    }
  } finally {
    closeSync(fd);
  }
}

/** Only records that move a task, of cox's own hand: one that somebody else wrote into the file doesn't. */
export function readLifecycle(path: string): BusMessage[] {
  const messages: BusMessage[] = [];
  for (const part of decodeFile(path, 0, new BusDecoder(0, mayBeLifecycle))) {
    for (const message of part) if (!message.unverified) messages.push(message);
  }
  return messages;
}

/** We write the type near the beginning of the head; what only looks like it is sorted out after parsing. */
function mayBeLifecycle(line: Buffer): boolean {
  const head = line.toString("latin1", 0, 240);
  return head.includes('"type":"TASK_STATE"') || head.includes('"type":"RUN_');
}

/** The byte that a cursor names; a cursor of another file is refused, so that nobody reads from the middle of a message. */
export function offsetOf(path: string, cursor: string): number {
  const offset = /^\d{1,15}$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (offset === 0) return 0;
  const fd = Number.isNaN(offset) ? undefined : openForReading(path);
  try {
    const byte = Buffer.alloc(1);
    if (fd !== undefined && readSync(fd, byte, 0, 1, offset - 1) === 1 && byte[0] === LF) return offset;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
  throw new AppError(
    "usage.invalid",
    `cursor ${JSON.stringify(shorten(cursor))}: not one of ${path}; read from the beginning with --since 0`,
  );
}

export function sizeOf(path: string): number {
  const fd = openForReading(path);
  if (fd === undefined) return 0;
  try {
    return fstatSync(fd).size;
  } finally {
    closeSync(fd);
  }
}

/** Where the last `limit` messages begin, found from the end. */
function startOfLast(path: string, limit: number, type: string | undefined): number {
  if (limit === Number.POSITIVE_INFINITY) return 0;
  let count = 0;
  for (const { message, offset } of messagesBackward(path)) {
    if (type !== undefined && message.type !== type) continue;
    count += 1;
    if (count >= limit) return offset;
  }
  return 0;
}

/** The newest first, each with a place from which on it can be read; what isn't asked for isn't read. */
export function* messagesBackward(path: string): Generator<{ message: BusMessage; offset: number }> {
  const fd = openForReading(path);
  if (fd === undefined) return;
  try {
    let end = fstatSync(fd).size;
    let size = FIRST_WINDOW;
    while (end > 0) {
      const start = Math.max(end - size, 0);
      const bytes = Buffer.alloc(end - start);
      const window = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, start));
      const first = start === 0 ? 0 : firstRecord(window);
      size = first === -1 ? size * 2 : Math.min(size * 2, SLICE_BYTES);
      if (first === -1) continue;
      end = start + first;
      const decoder = new BusDecoder(end);
      let offset = end;
      const found = [...decoder.push(window.subarray(first)), ...decoder.settle()].map((message) => {
        const at = offset;
        offset = Number(message.cursor);
        return { message, offset: at };
      });
      yield* found.toReversed();
    }
  } finally {
    closeSync(fd);
  }
}

/** A line of the old form may stand in the body of one that another program wrote: only where there is nothing else. */
function firstRecord(window: Buffer): number {
  const at = nextRecord(window, 0);
  return at === -1 ? nextOldRecord(window, 0) : at;
}

/** Few are asked for more than the last few messages. */
const FIRST_WINDOW = 16 * 1024;

/** `undefined` when nobody has posted yet. */
function openForReading(path: string): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw wrap(`read bus: ${path}`, error, "store.damaged");
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new AppError("store.damaged", `read bus: ${path}: it is not a regular file; move it away`, { path });
}

const LF = 10;
