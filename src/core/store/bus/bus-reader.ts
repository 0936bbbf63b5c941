import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type BusMessage, type BusPage, isFixedId, messageFrom } from "../../../contract/bus.ts";
import { AppError, wrap } from "../../../contract/errors.ts";
import { shorten } from "../../../contract/ids.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import { parseJournal } from "../../../lib/files/journal-line.ts";
import { isObject, Journal } from "../journal.ts";
import { CHECK_BYTES, checkOf } from "./bus.ts";

/** We write none that is longer; of one that is, no more than this is kept in memory. */
const MAX_LINE_BYTES = 1024 * 1024;
const SLICE_BYTES = 256 * 1024;

/**
 * Turns the bytes of a bus into messages, in pieces as they come. A damaged line costs only itself. Of records with a fixed
 * id, which two writers may have written, the first one stands.
 */
export class BusDecoder {
  damaged = 0;
  readonly #wanted: ((line: Buffer) => boolean) | undefined;
  readonly #seen = new Set<string>();
  #rest: Buffer = Buffer.alloc(0);
  #offset: number;
  #skipping = false;

  /** `wanted` looks at a line before it is parsed: whoever needs few of many lines doesn't pay for the others. */
  constructor(from: number, wanted?: (line: Buffer) => boolean) {
    this.#offset = from;
    this.#wanted = wanted;
  }

  /** Where to read on: behind the last whole line. */
  get cursor(): string {
    return String(this.#offset);
  }

  /** Where the next chunk must begin: a line that is not whole yet is kept. */
  get next(): number {
    return this.#offset + this.#rest.length;
  }

  push(chunk: Buffer): BusMessage[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const messages: BusMessage[] = [];
    let from = 0;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, from)) {
      const message = this.#skipping ? undefined : this.#line(bytes.subarray(from, at), this.#offset + at + 1);
      this.#skipping = false;
      if (message !== undefined) messages.push(message);
      from = at + 1;
    }
    this.#keep(bytes, from);
    return messages;
  }

  /** The file became shorter: what was begun will not be ended. */
  restartAt(offset: number): void {
    this.#offset = offset;
    this.#rest = Buffer.alloc(0);
    this.#skipping = false;
    this.damaged += 1;
  }

  #keep(bytes: Buffer, from: number): void {
    this.#offset += from;
    this.#rest = bytes.subarray(from);
    if (this.#rest.length <= MAX_LINE_BYTES && !this.#skipping) return;
    if (!this.#skipping) this.damaged += 1;
    this.#skipping = true;
    this.#offset += this.#rest.length;
    this.#rest = Buffer.alloc(0);
  }

  #line(line: Buffer, end: number): BusMessage | undefined {
    if (line.length === 0 || this.#wanted?.(line) === false) return undefined;
    const { records, damaged } = parseJournal(line);
    this.damaged += damaged;
    const [record] = records;
    if (record === undefined) return undefined;
    const message = messageFrom(record.value, String(end));
    if (message === undefined || !this.#verify(message, record.value.crc, line)) {
      this.damaged += 1;
      return undefined;
    }
    if (!isFixedId(message.id)) return message;
    if (this.#seen.has(message.id)) return undefined;
    this.#seen.add(message.id);
    return message;
  }

  #verify(message: BusMessage, crc: unknown, line: Buffer): boolean {
    if (crc === undefined) message.unverified = true;
    return crc === undefined || crc === checkOf(line.subarray(0, line.length - CHECK_BYTES));
  }
}

/** What names a message, for whoever looks for one from the end; the decoder says whether it is whole and ours. */
interface BusRecord {
  id: string;
  type: string;
  time?: unknown;
}

export const busJournal = new Journal(
  (value): value is BusRecord => isObject(value) && typeof value.id === "string" && typeof value.type === "string",
);

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
      if (count === 0) return;
      at += count;
      // A copy: what the decoder keeps of it must not change with the next slice.
      yield decoder.push(Buffer.from(slice.subarray(0, count)));
    }
  } finally {
    closeSync(fd);
  }
}

/** Only records that move a task, of cox's own hand: a line that somebody else wrote into the file doesn't. */
export function readLifecycle(path: string): BusMessage[] {
  const messages: BusMessage[] = [];
  for (const part of decodeFile(path, 0, new BusDecoder(0, mayBeLifecycle))) {
    for (const message of part) if (!message.unverified) messages.push(message);
  }
  return messages;
}

/** We write the type near the beginning of the line; what only looks like it is sorted out after parsing. */
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
  for (const { value, offset } of busJournal.backward(path)) {
    if (type !== undefined && value.type !== type) continue;
    count += 1;
    if (count >= limit) return offset;
  }
  return 0;
}

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
