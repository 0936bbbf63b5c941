import { type BusMessage, isFixedId, messageFrom } from "../../../contract/bus.ts";
import type { Body } from "../../../contract/events.ts";
import { parseRecord } from "../../../lib/files/journal-line.ts";
import { isWholeOldRecord, OLD_HEAD, parseOldRecord } from "./old-record.ts";
import { CHECK_BYTES, checkOf, checkText, OUR_HEAD, RULE, setOut, THEIR_HEAD } from "./record.ts";
import { parseTheirHead } from "./run-agent.ts";

/** We write none that is longer; of one that is, no more than this is kept in memory. */
const MAX_RECORD_BYTES = 1024 * 1024;

/** Where to go on, and what was there. */
interface Step {
  end: number;
  message?: BusMessage | undefined;
}

/**
 * Turns the bytes of a bus into messages, in pieces as they come. A damaged record costs only itself: reading goes on at the
 * next place where one begins. Of records with a fixed id, which two writers may have written, the first one stands.
 */
export class BusDecoder {
  damaged = 0;
  readonly #wanted: ((head: Buffer) => boolean) | undefined;
  readonly #seen = new Set<string>();
  #rest: Buffer = Buffer.alloc(0);
  #offset: number;
  /** Within a line that is too long to be kept. */
  #skipping = false;
  /** Among lines that are no record: they count once. */
  #astray = false;

  /** `wanted` looks at a head before it is parsed: whoever needs few of many records doesn't pay for the others. */
  constructor(from: number, wanted?: (head: Buffer) => boolean) {
    this.#offset = from;
    this.#wanted = wanted;
  }

  /** Where to read on: behind the last whole record. */
  get cursor(): string {
    return String(this.#offset);
  }

  /** Where the next chunk must begin: a record that is not whole yet is kept. */
  get next(): number {
    return this.#offset + this.#rest.length;
  }

  /** Whether there is something that may become a message, or that `settle` makes one of. */
  get isWaiting(): boolean {
    return this.#rest.length > 0;
  }

  push(chunk: Buffer): BusMessage[] {
    return this.#decode(this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]), false);
  }

  /** There are no more bytes now: what another program wrote doesn't say how long it is, and is whole if it ends a line. */
  settle(): BusMessage[] {
    return this.#decode(this.#rest, true);
  }

  /** The file became shorter: what was begun will not be ended. */
  restartAt(offset: number): void {
    this.#offset = offset;
    this.#rest = Buffer.alloc(0);
    this.#skipping = false;
    this.#lost(0);
  }

  #decode(bytes: Buffer, settled: boolean): BusMessage[] {
    const messages: BusMessage[] = [];
    let at = this.#skipping ? bytes.indexOf(LF) + 1 : 0;
    if (at > 0) this.#skipping = false;
    for (let step = this.#step(bytes, at, settled); step !== undefined; step = this.#step(bytes, at, settled)) {
      at = step.end;
      if (step.message !== undefined && this.#isFirst(step.message)) messages.push(step.message);
    }
    this.#offset += at;
    this.#rest = bytes.subarray(at);
    if (this.#rest.length > MAX_RECORD_BYTES || this.#skipping) this.#skip();
    return messages;
  }

  #skip(): void {
    this.#lost(0);
    this.#skipping = true;
    this.#offset += this.#rest.length;
    this.#rest = Buffer.alloc(0);
  }

  /** What begins at a line's beginning; `undefined` while more has to come. */
  #step(bytes: Buffer, at: number, settled: boolean): Step | undefined {
    const lineEnd = this.#skipping ? -1 : bytes.indexOf(LF, at);
    if (lineEnd === -1) return undefined;
    const next = lineEnd + 1;
    if (lineEnd === at) return { end: next };
    if (bytes[at] === BRACE) return this.#old(bytes.subarray(at, lineEnd), next);
    if (!matches(bytes, at, RULE)) return this.#lost(next);
    if (matches(bytes, next, OUR_HEAD)) return this.#ours(bytes, next);
    if (matches(bytes, next, THEIR_HEAD)) return this.#theirs(bytes, next, settled);
    return mayBegin(bytes, next) ? undefined : this.#lost(next);
  }

  #ours(bytes: Buffer, at: number): Step | undefined {
    const headEnd = bytes.indexOf(LF, at);
    if (headEnd === -1) return undefined;
    const size = bodySize(bytes, headEnd);
    if (size === undefined) return this.#lost(headEnd + 1);
    const bodyAt = headEnd + 1 + RULE.length;
    const bodyEnd = bodyAt + size;
    if (bytes.length <= bodyEnd) {
      // Its writer may be about to write the rest; unless the next one has begun behind it.
      const following = nextRecord(bytes, headEnd);
      return following === -1 ? undefined : this.#lost(following);
    }
    const checked = headEnd - CHECK_BYTES;
    const check = checkText(checkOf(bytes.subarray(at, checked), bytes.subarray(bodyAt, bodyEnd)));
    const isWhole = matches(bytes, checked, check + BETWEEN) && bytes[bodyEnd] === LF;
    if (!isWhole) return this.#lost(headEnd + 1);
    const end = bodyEnd + 1;
    this.#astray = false;
    if (this.#wanted?.(bytes.subarray(at, headEnd)) === false) return { end };
    const head = parseRecord(bytes, at, headEnd) ?? {};
    const body = bodyOf(head.blob, setOut(bytes.toString("utf8", bodyAt, bodyEnd)));
    const message = messageFrom(head, body, this.#cursorAt(end));
    return message === undefined ? this.#lost(end) : { end, message };
  }

  #theirs(bytes: Buffer, at: number, settled: boolean): Step | undefined {
    const headEnd = bytes.indexOf(BETWEEN, at);
    if (headEnd === -1) return undefined;
    const bodyAt = headEnd + BETWEEN.length;
    // Torn within its head: what looks like its end is the next one's beginning.
    if (beginsRecord(bytes, bodyAt)) return this.#lost(headEnd + 1);
    if (!settled && mayBegin(bytes, bodyAt)) return undefined;
    let end = endOfTheirs(bytes, bodyAt, settled);
    if (end === -1) {
      if (!settled || bytes.at(-1) !== LF) return undefined;
      end = bytes.length;
    }
    // Empty lines belong to nobody: one is written before each record.
    while (end > bodyAt && bytes[end - 1] === LF) end -= 1;
    const body = bytes.toString("utf8", bodyAt, end);
    if (end > bodyAt) end += 1;
    this.#astray = false;
    if (this.#wanted?.(bytes.subarray(at, headEnd)) === false) return { end };
    const message = messageFrom(parseTheirHead(bytes.toString("utf8", at, headEnd)), body, this.#cursorAt(end));
    if (message === undefined) return this.#lost(end);
    return { end, message: { ...message, unverified: true } };
  }

  #old(line: Buffer, end: number): Step {
    if (this.#wanted?.(line) === false) return { end };
    const message = parseOldRecord(line, this.#cursorAt(end));
    if (message === undefined) return this.#lost(end);
    this.#astray = false;
    return { end, message };
  }

  #lost(end: number): Step {
    if (!this.#astray) this.damaged += 1;
    this.#astray = true;
    return { end };
  }

  #cursorAt(end: number): string {
    return String(this.#offset + end);
  }

  #isFirst({ id }: BusMessage): boolean {
    if (!isFixedId(id)) return true;
    return !this.#seen.has(id) && this.#seen.add(id) !== undefined;
  }
}

/** Where the first record begins that has a line's end before it; -1 where there is none. For whoever reads from the middle. */
export function nextRecord(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(BETWEEN, from); at !== -1; at = bytes.indexOf(BETWEEN, at + 1)) {
    if (beginsRecord(bytes, at + BETWEEN.length)) return at + 1;
  }
  return -1;
}

/** The same of the old form. */
export function nextOldRecord(bytes: Buffer, from: number): number {
  return bytes.indexOf(`\n${OLD_HEAD}`, from) + 1 || -1;
}

/** Their body ends where a record begins; of what is there for now, also where one may be about to. */
function endOfTheirs(bytes: Buffer, bodyAt: number, settled: boolean): number {
  const before = bodyAt - 1; // an empty body: the next one begins at once
  let end = nextRecord(bytes, before);
  const last = bytes.lastIndexOf(BETWEEN);
  if (end === -1 && settled && last >= before && mayBegin(bytes, last + BETWEEN.length)) end = last + 1;
  for (let at = nextOldRecord(bytes, before); at !== -1; at = nextOldRecord(bytes, at)) {
    const lineEnd = bytes.indexOf(LF, at);
    if (lineEnd === -1 || (end !== -1 && at > end)) return end;
    if (isWholeOldRecord(bytes.subarray(at, lineEnd))) return at;
  }
  return end;
}

/** Whether a head is there. In what others write a line may begin like one of ours: it ends like one, too. */
function beginsRecord(bytes: Buffer, at: number): boolean {
  if (!matches(bytes, at, OUR_HEAD)) return matches(bytes, at, THEIR_HEAD);
  const lineEnd = bytes.indexOf(LF, at);
  return lineEnd !== -1 && bodySize(bytes, lineEnd) !== undefined;
}

/** Whether the bytes end before that can be said. */
function mayBegin(bytes: Buffer, at: number): boolean {
  const word = bytes.toString("latin1", at, at + OUR_HEAD.length);
  if (word === OUR_HEAD) return bytes.indexOf(LF, at) === -1;
  return [OUR_HEAD, THEIR_HEAD].some((head) => word.length < head.length && head.startsWith(word));
}

const matches = (bytes: Buffer, at: number, text: string): boolean =>
  bytes.toString("latin1", at, at + text.length) === text;

/** From the end of the head, whose beginning may be whatever somebody wrote there. */
function bodySize(bytes: Buffer, headEnd: number): number | undefined {
  const [, size] =
    /,"bytes":(\d{1,7}),"crc":"[0-9a-f]{8}"\}$/.exec(bytes.toString("latin1", headEnd - 40, headEnd)) ?? [];
  return size === undefined || Number(size) > MAX_RECORD_BYTES ? undefined : Number(size);
}

/** Of a text that lies elsewhere as a whole, its beginning. */
function bodyOf(blob: unknown, text: string): Body {
  if (typeof blob !== "object" || blob === null) return text;
  const { bytes, sha256, shown }: { bytes?: unknown; sha256?: unknown; shown?: unknown } = blob;
  if (typeof bytes !== "number" || typeof sha256 !== "string" || typeof shown !== "number") return text;
  return { head: text.slice(0, shown), bytes, sha256 };
}

const LF = 10;
const BRACE = 123;
const BETWEEN = `\n${RULE}`;
