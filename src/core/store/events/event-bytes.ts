import { readSync } from "node:fs";

/**
 * An event log as bytes. Each line begins with `{"seq":N,"at":`, so whoever replays or looks for a place in it cuts the number
 * out and parses nothing.
 */
const HEAD = Buffer.from('{"seq":');
const LF = 10;
const COMMA = 44;
const CLOSE = 125;

/** The number of the event in this line; 0 when it is none, or was torn. */
export function seqOf(bytes: Buffer, from: number, to: number): number {
  if (from + HEAD.length >= to || bytes[to - 1] !== CLOSE) return 0;
  for (let i = 0; i < HEAD.length; i += 1) if (bytes[from + i] !== HEAD[i]) return 0;
  let seq = 0;
  for (let at = from + HEAD.length; at < to; at += 1) {
    const digit = (bytes[at] as number) - 48;
    if (digit < 0 || digit > 9) return bytes[at] === COMMA ? seq : 0;
    seq = seq * 10 + digit;
  }
  return 0;
}

/** The last event of bytes that end with a line: its number and where its line is. */
export function lastEventIn(bytes: Buffer): { seq: number; from: number; to: number } | undefined {
  let to = bytes.length;
  while (to > 0) {
    const from = bytes.lastIndexOf(LF, to - 1) + 1;
    const seq = from < to ? seqOf(bytes, from, to) : 0;
    if (seq > 0) return { seq, from, to };
    to = from - 1;
  }
  return undefined;
}

/** Whether this line says that the log is closed. */
export function isClosedLine(bytes: Buffer, from: number, to: number): boolean {
  if (to - from > 4096) return false;
  const text = bytes.toString("latin1", from, to);
  return text.includes('"type":"session_status"') && text.includes('"status":"closed"');
}

/** The type an event's line names, near its beginning; `undefined` when it must be parsed to be known. */
export function typeAt(bytes: Buffer, from: number, to: number): string | undefined {
  return /^\{"seq":\d+,"at":"[^"]*","type":"(\w+)"/.exec(bytes.toString("latin1", from, Math.min(to, from + 120)))?.[1];
}

/**
 * Where the lines after event `seq` begin, within the first `end` bytes. Found by halving: numbers only grow. A torn line has no
 * number and is passed over.
 */
export function offsetAfter(fd: number, end: number, seq: number): number {
  if (seq <= 0) return 0;
  let low = 0; // a line begins here, and everything before it is <= seq
  let high = end; // everything from here on is > seq, or nothing
  while (high - low > WINDOW) {
    const middle = low + Math.floor((high - low) / 2);
    const found = eventFrom(fd, middle, high);
    if (found === undefined) high = middle;
    else if (found.seq <= seq) low = found.next;
    else high = middle;
  }
  return lastStep(fd, low, end, seq);
}

/** Line by line, over what is left. */
function lastStep(fd: number, from: number, end: number, seq: number): number {
  let low = from;
  for (let at = from; at < end; ) {
    const found = eventFrom(fd, at, end, true);
    if (found === undefined || found.seq > seq) break;
    low = found.next;
    at = found.next;
    if (found.seq === seq) break;
  }
  return low;
}

/** The first event whose line begins at or after `from`; `whole` when a line begins exactly there. */
function eventFrom(fd: number, from: number, end: number, whole = false): { seq: number; next: number } | undefined {
  let size = WINDOW;
  for (let start = from; start < end; ) {
    const bytes = Buffer.allocUnsafe(Math.min(size, end - start));
    const count = readSync(fd, bytes, 0, bytes.length, start);
    if (count === 0) return undefined;
    const part = bytes.subarray(0, count);
    let at = whole || start === 0 ? 0 : part.indexOf(LF) + 1;
    if (at === 0 && !(whole || start === 0)) {
      start += count;
      continue;
    }
    for (;;) {
      const stop = part.indexOf(LF, at);
      if (stop === -1) break;
      const seq = seqOf(part, at, stop);
      if (seq > 0) return { seq, next: start + stop + 1 };
      at = stop + 1;
    }
    if (start + count >= end) return undefined;
    // The line goes on behind the window: from its beginning, with a larger one.
    start += at;
    whole = true;
    size *= 2;
  }
  return undefined;
}

const WINDOW = 16 * 1024;
