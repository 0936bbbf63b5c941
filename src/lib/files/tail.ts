import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { wrap } from "../../contract/errors.ts";
import { Bell } from "../base/bell.ts";
import { systemClock } from "../base/clock.ts";

export interface TailOptions {
  /** Where to begin, in bytes. */
  from?: number;
  /** Aborting ends the stream at once; a tail that waits would not hear `return()`. */
  signal?: AbortSignal;
  /** When this settles, no more is expected: what is in the file by then is still read. */
  until?: Promise<unknown>;
  /** The interval at which the file is looked at without being told to, if not the usual one. */
  pollMs?: number;
  /** The file became shorter than what was read of it. Reading goes on at its new end. */
  onShrunk?: (from: number, to: number) => void;
}

/** The bytes of a file as it grows, each exactly once, in buffers that belong to the reader. */
export async function* tailFile(path: string, options: TailOptions = {}): AsyncGenerator<Buffer> {
  const { signal, until, onShrunk } = options;
  const fd = openForReading(path);
  // Before the first look, so that nothing written in between goes unnoticed.
  const bell = new Bell(path, options.pollMs);
  const ring = () => bell.ring();
  signal?.addEventListener("abort", ring);
  let offset = options.from ?? 0;
  let end = Number.POSITIVE_INFINITY;
  let open = true;
  const settled = () => {
    // What orphans write from now on is not waited for, else a chatty one would keep the stream open for ever.
    if (open) end = fstatSync(fd).size;
    bell.ring();
  };
  void until?.then(settled, settled);
  const isOver = () => offset >= end || signal?.aborted === true;

  try {
    let turn = new Turn();
    while (!isOver()) {
      const chunk = read(fd, offset);
      if (chunk !== undefined) {
        offset += chunk.length;
        bell.active();
        yield chunk;
        if (turn.isSpentBy(chunk.length)) {
          await new Promise((resolve) => setImmediate(resolve));
          turn = new Turn();
          continue;
        }
        // What comes after a slice that wasn't full rings the bell. Looking for it now would only hold up this one.
        if (chunk.length === SLICE_BYTES || end !== Number.POSITIVE_INFINITY) continue;
      } else {
        const { size } = fstatSync(fd);
        if (size < offset) {
          onShrunk?.(offset, size);
          offset = size;
          continue;
        }
        if (end !== Number.POSITIVE_INFINITY) return;
      }
      await bell.rung();
      turn = new Turn();
    }
  } finally {
    open = false;
    signal?.removeEventListener("abort", ring);
    bell.close();
    closeSync(fd);
  }
}

/** One turn of the event loop: a burst is read in slices, so that everything else gets its turn too. */
class Turn {
  readonly #began = systemClock.monotonic();
  #bytes = 0;

  isSpentBy(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes >= MAX_TURN_BYTES || systemClock.monotonic() - this.#began >= MAX_TURN_MS;
  }
}

const MAX_TURN_BYTES = 1024 * 1024;
const MAX_TURN_MS = 2;

function read(fd: number, offset: number): Buffer | undefined {
  const buffer = scratch ?? Buffer.allocUnsafeSlow(SLICE_BYTES);
  scratch = undefined;
  const count = readSync(fd, buffer, 0, SLICE_BYTES, offset);
  // A large slice goes to the reader as it is; of a small one only a copy, or it would keep all of the buffer alive.
  if (count > SLICE_BYTES / 2) return buffer.subarray(0, count);
  scratch = buffer;
  return count === 0 ? undefined : Buffer.from(buffer.subarray(0, count));
}

const SLICE_BYTES = 256 * 1024;
/** Shared by all tails: it is only used between two lines of synchronous code. */
let scratch: Buffer | undefined;

function openForReading(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw wrap(`read ${path}`, error, "store.damaged");
  }
}
