import { closeSync, constants, existsSync, openSync, readSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { wrap } from "../../contract/errors.ts";
import type { RecordedEvent } from "../../contract/events.ts";
import { errnoOf } from "../../lib/files/disk-error.ts";
import { parseJournalPart, readLastRecords, recordsBackward } from "../../lib/files/journal-line.ts";
import { type TailOptions, tailFile } from "../../lib/process/tail.ts";

const SLICE_BYTES = 256 * 1024;
const WAIT_MS = 20;

/** Bytes in, events out: a line that is not whole yet waits for its rest, a damaged one costs only itself. */
class EventParser {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): RecordedEvent[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const { records, consumed } = parseJournalPart(bytes);
    this.#rest = bytes.subarray(consumed);
    return records.flatMap(({ value }) => (isEvent(value) ? [value as unknown as RecordedEvent] : []));
  }
}

/** We wrote the log, so its records are what they say; only their presence is looked at. */
const isEvent = (value: Record<string, unknown>) => typeof value.type === "string" && typeof value.at === "string";

/** All there are now, in batches, so that a long log is never in memory at once. A run that has just begun has none. */
export function* readEvents(path: string): Generator<RecordedEvent[]> {
  const parser = new EventParser();
  for (const chunk of readChunks(path)) yield parser.push(chunk);
}

/** The newest first; what isn't asked for isn't read. */
export function* eventsBackward(path: string): Generator<RecordedEvent> {
  for (const value of recordsBackward(path)) if (isEvent(value)) yield value as unknown as RecordedEvent;
}

/** Those there are and those to come, until the log is closed. `options.until` ends it where nobody closes it any more. */
export async function* followEvents(path: string, options: TailOptions = {}): AsyncGenerator<RecordedEvent[]> {
  const parser = new EventParser();
  if (!(await exists(path, options))) return;
  for await (const chunk of tailFile(path, options)) {
    const events = parser.push(chunk);
    if (events.length > 0) yield events;
    if (events.some(isClosed)) return;
  }
}

/** Where the last turn begins, with the prompt that began it. */
export function lastTurn(path: string): number {
  for (let count = 100; ; count *= 10) {
    const { records } = readLastRecords(path, count);
    const start = records.findLast(({ value }) => value.type === "user_message" && value.delivery === "start");
    if (start !== undefined) return start.offset;
    if (records.length < count) return 0;
  }
}

/** A run is listed a moment before its log is there. */
async function exists(path: string, { until, signal }: TailOptions): Promise<boolean> {
  let over = false;
  const end = () => {
    over = true;
  };
  void until?.then(end, end);
  while (!existsSync(path)) {
    if (over || signal?.aborted) return false;
    await setTimeout(WAIT_MS);
  }
  return true;
}

export const isClosed = (event: RecordedEvent): boolean => event.type === "session_status" && event.status === "closed";

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
