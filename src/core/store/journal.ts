import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import {
  type BackwardOptions,
  type JournalRecord,
  journalBackward,
  parseJournalPart,
  parseRecord,
} from "../../lib/files/journal-line.ts";
import { readChunks } from "../../lib/files/regular-file.ts";
import { type TailOptions, tailFile } from "../../lib/files/tail.ts";

const WAIT_MS = 20;

/**
 * Reads one kind of journal. We wrote it, so its records are what they say; `isRecord` looks only whether a line is one of them
 * at all, and is the one place where a line gets its type. A damaged line costs only itself.
 */
export class Journal<T> {
  readonly #isRecord: (value: unknown) => value is T;

  constructor(isRecord: (value: unknown) => value is T) {
    this.#isRecord = isRecord;
  }

  /** Of bytes that may end in the middle of a line: `consumed` of them are dealt with. `base` is where they begin in the file. */
  parse(bytes: Uint8Array, base = 0): { records: JournalRecord<T>[]; consumed: number } {
    const { records, consumed }: { records: JournalRecord<unknown>[]; consumed: number } = parseJournalPart(
      bytes,
      base,
    );
    return { records: records.filter((record) => this.#isOurs(record)), consumed };
  }

  /** One line that is whole. */
  parseLine(bytes: Buffer, from = 0, to = bytes.length): T | undefined {
    const value: unknown = parseRecord(bytes, from, to);
    return this.#isRecord(value) ? value : undefined;
  }

  /** All there are now, in batches, so that a long journal is never in memory at once. One that nobody has begun has none. */
  *read(path: string): Generator<T[]> {
    const pieces = new Pieces(this);
    for (const chunk of readChunks(path)) yield pieces.push(chunk);
  }

  /** The newest first; what isn't asked for isn't read. */
  *backward(path: string, options?: BackwardOptions): Generator<JournalRecord<T>> {
    for (const record of journalBackward(path, options)) {
      if (this.#isOurs(record)) yield record;
      else options?.passOver?.(record.offset);
    }
  }

  /** Those there are and those to come, from when there is a file, until `options.until` or `options.signal` ends it. */
  async *follow(path: string, options: TailOptions = {}): AsyncGenerator<T[]> {
    const pieces = new Pieces(this);
    if (!(await exists(path, options))) return;
    for await (const chunk of tailFile(path, options)) {
      const values = pieces.push(chunk);
      if (values.length > 0) yield values;
    }
  }

  #isOurs(record: JournalRecord<unknown>): record is JournalRecord<T> {
    return this.#isRecord(record.value);
  }
}

/** Bytes in, records out: a line that is not whole yet waits for its rest. */
class Pieces<T> {
  readonly #journal: Journal<T>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(journal: Journal<T>) {
    this.#journal = journal;
  }

  push(chunk: Buffer): T[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const { records, consumed } = this.#journal.parse(bytes);
    this.#rest = bytes.subarray(consumed);
    return records.map(({ value }) => value);
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

/** For those who say which lines are theirs. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
