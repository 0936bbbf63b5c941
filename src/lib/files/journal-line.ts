import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { AppError, wrap } from "../../contract/errors.ts";
import { diskError, errnoOf } from "./disk-error.ts";

/**
 * The one journal primitive: newline, one line of JSON, newline, in one write at the end of the file. Writers killed in
 * the middle of a write leave a torn line; the newline in front of the next record keeps the tear from swallowing it.
 */
export interface JournalRecord<T = Record<string, unknown>> {
  /** `offset` to `end` are the bytes of the JSON text, without newlines. */
  offset: number;
  end: number;
  value: T;
}

export interface ParsedJournal {
  records: JournalRecord[];
  /** Lines that are no JSON object. Each costs only itself. */
  damaged: number;
}

/** Refuses links, pipes and devices: whoever can put one there must not redirect or block a writer. */
export function openJournal(path: string, { mode = 0o600 }: { mode?: number } = {}): number {
  // O_NONBLOCK: a FIFO in the file's place fails instead of waiting for a reader.
  const flags = O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK;
  let fd: number;
  try {
    fd = openSync(path, flags, mode);
  } catch (error) {
    throw diskError("open for appending", path, error);
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new AppError("store.unwritable", `open for appending: ${path}: it is not a regular file; move it away`, {
    path,
  });
}

/** Once this returns, every reader finds the record, whoever is killed. Power loss is another matter: nothing is synced. */
export function appendRecord(fd: number, json: string, path?: string): void {
  if (json.includes("\n")) {
    throw new AppError("internal", "append record: a record is one line, this one has several");
  }
  appendFramed(fd, Buffer.from(`\n${json}\n`), path);
}

/**
 * The same for a writer that has put the newlines around its record itself, or around several: then a tear costs the one it is
 * in and those behind it, which were not acknowledged either.
 */
export function appendFramed(fd: number, bytes: Uint8Array, path?: string): void {
  let written: number;
  try {
    written = writeSync(fd, bytes);
  } catch (error) {
    throw diskError("append record", path, error);
  }
  if (written === bytes.length) return;
  // A disk that fills up takes a part first and complains the next time. The rest is not sent after it: another writer may
  // have come in between.
  throw diskError("append record", path, closeTornLine(fd));
}

/** All records of a journal. Never throws: a damaged line is counted. */
export function parseJournal(bytes: Uint8Array): ParsedJournal {
  const { records, damaged, consumed } = parseJournalPart(bytes);
  const buffer = asBuffer(bytes);
  const last = parseLine(buffer, consumed, buffer.length);
  if (last === undefined) return { records, damaged: damaged + 1 };
  if (last !== BLANK) records.push({ offset: consumed, end: buffer.length, value: last });
  return { records, damaged };
}

/**
 * The same for bytes that may end in the middle of a line: `consumed` bytes are dealt with, the rest has to be offered again
 * with what follows it. `base` is where the bytes begin in the file.
 */
export function parseJournalPart(bytes: Uint8Array, base = 0): ParsedJournal & { consumed: number } {
  const buffer = asBuffer(bytes);
  const records: JournalRecord[] = [];
  let damaged = 0;
  let from = 0;
  for (let at = buffer.indexOf(LF); at !== -1; at = buffer.indexOf(LF, from)) {
    const value = parseLine(buffer, from, at);
    if (value === undefined) damaged += 1;
    else if (value !== BLANK) records.push({ offset: base + from, end: base + at, value });
    from = at + 1;
  }
  return { records, damaged, consumed: from };
}

/** The last `n` records in file order, without reading what is before them. A journal nobody has begun has none. */
export function readLastRecords(path: string, n: number): ParsedJournal {
  const records: JournalRecord[] = [];
  let damaged = 0;
  if (n === 0) return { records, damaged };
  for (const record of linesBackward(path)) {
    if (record === undefined) damaged += 1;
    else if (records.push(record) === n) break;
  }
  return { records: records.toReversed(), damaged };
}

export interface BackwardOptions {
  /** The offset of a record, or of the end. */
  before?: number | undefined;
  /** Looks at a line before it is parsed: whoever needs few of many lines doesn't pay for the others. */
  wanted?: Wanted;
  /** Told where a line begins that is no record. */
  passOver?: (offset: number) => void;
}
type Wanted = (bytes: Buffer, from: number, to: number) => boolean;

/** The newest record first; what the caller doesn't ask for isn't read. */
export function* journalBackward(path: string, options: BackwardOptions = {}): Generator<JournalRecord> {
  for (const record of linesBackward(path, options)) if (record !== undefined) yield record;
}

/** `undefined` stands for a damaged line. */
function* linesBackward(path: string, options: BackwardOptions = {}): Generator<JournalRecord | undefined> {
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return;
    throw wrap(`read journal: ${path}`, error, "store.damaged");
  }
  try {
    yield* readBackwards(fd, options);
  } catch (error) {
    throw wrap(`read journal: ${path}`, error, "store.damaged");
  } finally {
    closeSync(fd);
  }
}

function* readBackwards(
  fd: number,
  { before, wanted, passOver }: BackwardOptions,
): Generator<JournalRecord | undefined> {
  let start = Math.min(fstatSync(fd).size, before ?? Number.POSITIVE_INFINITY);
  let head: Buffer = Buffer.alloc(0);
  let size = FIRST_WINDOW;
  while (start > 0) {
    const length = Math.min(size, start);
    start -= length;
    const read = readAt(fd, start, length);
    const part = head.length === 0 ? read : Buffer.concat([read, head]);
    let end = part.length;
    while (end > 0) {
      const at = part.lastIndexOf(LF, end - 1);
      // The line begins in the window before this one.
      if (at === -1 && start > 0) break;
      const value = wanted?.(part, at + 1, end) === false ? BLANK : parseLine(part, at + 1, end);
      if (value === undefined) passOver?.(start + at + 1);
      if (value !== BLANK) yield value && { offset: start + at + 1, end: start + end, value };
      end = at;
    }
    // Few are asked for more than the last few lines. A line longer than the window: growing it keeps the copying linear.
    size = end === part.length ? size * 2 : Math.min(size * 2, WINDOW);
    head = part.subarray(0, Math.max(end, 0));
  }
}

function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(fd, bytes, filled, length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/** Best effort, so that readers see the torn line at once; the next record's own newline would end it too. */
function closeTornLine(fd: number): unknown {
  try {
    writeSync(fd, "\n");
  } catch (error) {
    return error;
  }
  return Object.assign(new Error("the disk took only a part of the record"), { code: "ENOSPC" });
}

/** Of one line; `undefined` where there is none, or a damaged one. */
export function parseRecord(bytes: Buffer, from: number, to: number): Record<string, unknown> | undefined {
  const value = parseLine(bytes, from, to);
  return value === BLANK ? undefined : value;
}

const BLANK = Symbol("blank");

function parseLine(bytes: Buffer, from: number, to: number): Record<string, unknown> | typeof BLANK | undefined {
  if (from >= to) return BLANK;
  const text = bytes.toString("utf8", from, to);
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return text.trim() === "" ? BLANK : undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const LF = 10;
const FIRST_WINDOW = 4 * 1024;
const WINDOW = 64 * 1024;
const { O_APPEND, O_CREAT, O_WRONLY, O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
