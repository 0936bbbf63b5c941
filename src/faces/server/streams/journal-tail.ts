import { closeSync, fstatSync, readSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { isClosedLine, lastEventIn } from "../../../core/store/events/event-bytes.ts";
import { Bell } from "../../../lib/base/bell.ts";
import { isRefusal } from "../../../lib/files/disk-error.ts";
import { openRegularFile } from "../../../lib/files/regular-file.ts";

/** New whole lines, as they are in the file. */
export type LinesListener = (lines: Buffer) => void;

/**
 * The end of a journal that grows (a live run's log, the ledger), read once for everybody. Where it has come to (`offset`, `seq`) and what it tells its listeners
 * change together: whoever has read the file up to `offset` and listens from then on misses nothing and hears nothing twice.
 */
export class JournalTail {
  readonly #path: string;
  readonly #isLive: () => boolean;
  readonly #listeners = new Set<LinesListener>();
  #fd: number | undefined;
  #bell: Bell | undefined;
  #offset = 0;
  #seq = 0;
  /** There may be more behind what was read last. */
  #full = false;
  #closed = false;
  #released = false;

  /** Begins at the end of what is there now. `isLive`: whether anybody may still write to it. */
  constructor(path: string, isLive: () => boolean) {
    this.#path = path;
    this.#isLive = isLive;
    if (this.#open()) this.#skipToEnd();
    void this.#keepFollowing();
  }

  /** The end of the last whole line. */
  get offset(): number {
    return this.#offset;
  }

  /** The number of the last event; 0 in a journal that has none. */
  get seq(): number {
    return this.#seq;
  }

  /** No more will come. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Also told, with nothing, when it is closed without another line. */
  listen(listener: LinesListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads what is there and tells it, without waiting to be told. */
  poll(): void {
    for (let lines = this.#read(); lines !== undefined; lines = this.#read()) this.#tell(lines);
  }

  release(): void {
    this.#released = true;
    this.#bell?.ring();
    this.#bell?.close();
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): boolean {
    if (this.#fd === undefined) {
      const file = openRegularFile(this.#path);
      if (file === undefined) return false;
      this.#fd = file.fd;
      // Before the first look, so that nothing written in between goes unnoticed.
      this.#bell = new Bell(this.#path);
    }
    return true;
  }

  /** Behind everything that is there already, without reading more of it than its last event. */
  #skipToEnd(): void {
    if (this.#fd === undefined) return;
    const { size } = fstatSync(this.#fd);
    for (let window = WINDOW; ; window *= 4) {
      const from = Math.max(0, size - window);
      const bytes = Buffer.allocUnsafe(size - from);
      const part = bytes.subarray(0, readSync(this.#fd, bytes, 0, bytes.length, from));
      // Where the window begins in the middle of a line, that line doesn't count.
      const start = from === 0 ? 0 : part.indexOf(LF) + 1;
      const whole = part.subarray(start, part.lastIndexOf(LF) + 1);
      const last = start === 0 && from > 0 ? undefined : lastEventIn(whole);
      if (last === undefined && from > 0) continue;
      this.#offset = whole.length === 0 ? from : from + start + whole.length;
      this.#seq = last?.seq ?? 0;
      this.#closed = last !== undefined && isClosedLine(whole, last.from, last.to);
      return;
    }
  }

  /** What the system refuses for now (no more files may be open, a disk that fails) is tried again: nobody waits for this. */
  async #keepFollowing(): Promise<void> {
    while (!this.#released && !this.#closed) {
      try {
        await this.#follow();
      } catch (error) {
        if (!isRefusal(error)) throw error;
        await pause(MAX_WAIT_MS);
      }
    }
  }

  async #follow(): Promise<void> {
    // A run is listed a moment before its log is there.
    for (let wait = WAIT_MS; !this.#released && !this.#open(); wait = Math.min(wait * 1.2, MAX_WAIT_MS)) {
      if (wait === MAX_WAIT_MS && !this.#isLive()) return this.#close();
      await pause(wait);
    }
    let quiet = 0;
    while (!this.#released && !this.#closed) {
      const lines = this.#read();
      if (lines === undefined) {
        quiet += 1;
        if (quiet % LOOKS === 0 && !this.#isLive() && this.#read() === undefined) return this.#close();
      } else {
        quiet = 0;
        this.#bell?.active();
        this.#tell(lines);
      }
      // What comes after a slice that wasn't full rings the bell. Of a burst one slice at a time, so that everything else gets
      // its turn too.
      if (this.#full) await new Promise((resolve) => setImmediate(resolve));
      else await this.#bell?.rung();
    }
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#tell(Buffer.alloc(0));
  }

  #tell(lines: Buffer): void {
    for (const listener of this.#listeners) listener(lines);
  }

  #read(): Buffer | undefined {
    if (this.#fd === undefined) return undefined;
    for (let size = SLICE_BYTES; ; size *= 2) {
      const buffer = size === SLICE_BYTES ? scratch : Buffer.allocUnsafe(size);
      const count = readSync(this.#fd, buffer, 0, size, this.#offset);
      this.#full = count === size;
      const end = count === 0 ? 0 : buffer.lastIndexOf(LF, count - 1) + 1;
      if (end === 0 && count === size) continue; // a line longer than this
      if (end === 0) return undefined;
      this.#offset += end;
      const lines = Buffer.from(buffer.subarray(0, end)); // its own: the next read uses the buffer again
      const last = lastEventIn(lines);
      if (last === undefined) return lines;
      this.#seq = last.seq;
      this.#closed = isClosedLine(lines, last.from, last.to);
      return lines;
    }
  }
}

const LF = 10;
const SLICE_BYTES = 256 * 1024;
const WINDOW = 16 * 1024;
const WAIT_MS = 20;
const MAX_WAIT_MS = 500;
/** After this many looks in vain (the bell rings at least once a second) we ask whether anybody writes at all. */
const LOOKS = 4;
/** Shared by all: it is only used between two lines of synchronous code. */
const scratch = Buffer.allocUnsafe(SLICE_BYTES);
