import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { isObject, Journal } from "./journal.ts";

interface Step {
  n: number;
}

const journal = new Journal((value): value is Step => isObject(value) && typeof value.n === "number");

function journalFile(text: string): string {
  const path = join(temporaryFolder(), "steps.jsonl");
  writeFileSync(path, text);
  return path;
}

/** A line of another kind, a torn one, and one that is not whole yet. */
const mixed = '\n{"n":1}\n\n{"other":true}\n\n{"n":2\n\n[3]\n\n{"n":4}\n\n{"n":5';

describe("a journal", () => {
  test("is read forward: only whole lines that are records of it", () => {
    expect([...journal.read(journalFile(mixed))].flat()).toEqual([{ n: 1 }, { n: 4 }]);
  });

  test("is read backward with places, from the end or from a place on", () => {
    const path = journalFile(mixed);
    const records = [...journal.backward(path)];
    expect(records.map(({ value }) => value.n)).toEqual([4, 1]);
    expect([...journal.backward(path, { before: records[0]?.offset })].map(({ value }) => value.n)).toEqual([1]);
  });

  test("that nobody has begun is empty", () => {
    const path = join(temporaryFolder(), "none.jsonl");
    expect([...journal.read(path)]).toEqual([]);
    expect([...journal.backward(path)]).toEqual([]);
  });

  test("is followed from before it is there, line by line however they arrive", async () => {
    const path = join(temporaryFolder(), "later.jsonl");
    const stop = new AbortController();
    setTimeout(() => writeFileSync(path, '\n{"n":1}\n\n{"n"'), 30);
    const seen: number[] = [];
    for await (const steps of journal.follow(path, { signal: stop.signal })) {
      seen.push(...steps.map(({ n }) => n));
      if (seen.length === 1) appendFileSync(path, ':2}\n\n{"other":1}\n\n{"n":3}\n');
      if (seen.includes(3)) stop.abort();
    }
    expect(seen).toEqual([1, 2, 3]);
  });

  test("has its places counted from where the bytes begin", () => {
    const bytes = Buffer.from('\n{"n":1}\n{"n":2}\n{"n"');
    const { records, consumed } = journal.parse(bytes, 100);
    expect(records).toEqual([
      { offset: 101, end: 108, value: { n: 1 } },
      { offset: 109, end: 116, value: { n: 2 } },
    ]);
    expect(consumed).toBe(17);
    expect(journal.parseLine(bytes, 1, 8)).toEqual({ n: 1 });
    expect(journal.parseLine(bytes, 0, 1)).toBeUndefined();
  });
});
