import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { AppError } from "../../contract/errors.ts";
import {
  appendRecord,
  journalBackward,
  openJournal,
  parseJournal,
  parseJournalPart,
  readLastRecords,
} from "./journal-line.ts";

const values = (bytes: Uint8Array) => parseJournal(bytes).records.map((record) => record.value);

function journalOf(records: readonly unknown[]): { path: string; bytes: Buffer } {
  const path = join(temporaryFolder(), "journal.jsonl");
  const fd = openJournal(path);
  for (const record of records) appendRecord(fd, JSON.stringify(record));
  closeSync(fd);
  return { path, bytes: readFileSync(path) };
}

function failure(call: () => unknown): AppError {
  try {
    call();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("expected an AppError");
}

describe("appendRecord and openJournal", () => {
  test("a record is a line of its own between newlines, in a private file", () => {
    const { path, bytes } = journalOf([{ a: 1 }, { text: "two\nlines \u2028 é" }]);
    expect(bytes.toString()).toBe('\n{"a":1}\n\n{"text":"two\\nlines \u2028 é"}\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("appends, also after a truncation by someone else", () => {
    const { path } = journalOf([{ a: 1 }]);
    const fd = openJournal(path);
    ftruncateSync(fd, 0);
    appendRecord(fd, '{"b":2}');
    expect(values(readFileSync(path))).toEqual([{ b: 2 }]);
  });

  test("refuses what would be more than one line", () => {
    const { path } = journalOf([]);
    expect(failure(() => appendRecord(openJournal(path), '{"a":1}\n{"forged":true}')).code).toBe("internal");
    expect(statSync(path).size).toBe(0);
  });

  test("refuses a link, a pipe, a folder and a missing folder, and says what to do", () => {
    const at = temporaryFolder();
    symlinkSync("/etc/passwd", join(at, "link"));
    execFileSync("mkfifo", [join(at, "pipe")]);
    mkdirSync(join(at, "folder"));
    for (const name of ["link", "pipe", "folder", "no/such/folder"]) {
      const error = failure(() => openJournal(join(at, name)));
      expect(error.code).toBe("store.unwritable");
      expect(error.message).toContain(`open for appending: ${join(at, name)}: `);
      expect(error.message).toContain("; ");
    }
    // A pipe somebody reads can be opened, and must still be refused.
    const reader = openSync(join(at, "pipe"), constants.O_RDWR);
    expect(failure(() => openJournal(join(at, "pipe"))).message).toContain("not a regular file");
    closeSync(reader);
  });

  test("a full disk is named, with the path and the remedy", () => {
    const error = failure(() => appendRecord(openSync("/dev/full", "a"), "{}", "/some/journal"));
    expect(error.code).toBe("store.full");
    expect(error.message).toBe(
      "append record: /some/journal: no space left on the disk (ENOSPC); free some space and try again",
    );
  });
});

describe("parseJournal", () => {
  const cases: Record<string, { text: string | Buffer; records: unknown[]; damaged: number }> = {
    "an empty file": { text: "", records: [], damaged: 0 },
    "blank lines": { text: "\n\n \r\n\t\n", records: [], damaged: 0 },
    "plain lines of another writer": { text: '{"a":1}\n{"b":2}', records: [{ a: 1 }, { b: 2 }], damaged: 0 },
    "a torn line": { text: '\n{"a":1}\n\n{"b":"to\n{"c":3}\n', records: [{ a: 1 }, { c: 3 }], damaged: 1 },
    "a torn tail": { text: '\n{"a":1}\n\n{"b":"to', records: [{ a: 1 }], damaged: 1 },
    "glued records cost both, but not the next": { text: '{"a":1}{"b":2}\n{"c":3}\n', records: [{ c: 3 }], damaged: 1 },
    "JSON that is no object": { text: '[1]\n"x"\nnull\n3\n{}\n', records: [{}], damaged: 4 },
    "a hole of zeros": {
      text: Buffer.concat([Buffer.alloc(50), Buffer.from('\n{"a":1}\n')]),
      records: [{ a: 1 }],
      damaged: 1,
    },
    "invalid UTF-8 in a string": {
      text: Buffer.from('{"a":"\xff"}\n', "latin1"),
      records: [{ a: "\ufffd" }],
      damaged: 0,
    },
  };
  test.each(Object.entries(cases))("%s", (_name, { text, records, damaged }) => {
    const parsed = parseJournal(Buffer.from(text as string));
    expect(parsed.records.map((record) => record.value)).toEqual(records);
    expect(parsed.damaged).toBe(damaged);
  });

  test("offset and end are the bytes of the JSON text", () => {
    const { bytes } = journalOf([{ a: "é" }, { b: 2 }]);
    for (const { offset, end, value } of parseJournal(bytes).records) {
      expect(JSON.parse(bytes.subarray(offset, end).toString())).toEqual(value);
    }
  });

  test("takes a view into a larger buffer", () => {
    const { bytes } = journalOf([{ a: 1 }]);
    const larger = new Uint8Array(bytes.length + 20);
    larger.set(bytes, 10);
    expect(values(larger.subarray(10, 10 + bytes.length))).toEqual([{ a: 1 }]);
  });
});

test("a part that ends anywhere plus the rest gives the same records at the same places", () => {
  const { bytes } = journalOf([{ a: "é" }, { b: [1, 2] }, { c: "\u2028" }]);
  const whole = parseJournal(bytes).records;
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const first = parseJournalPart(bytes.subarray(0, cut));
    const second = parseJournalPart(bytes.subarray(first.consumed), first.consumed);
    expect([...first.records, ...second.records]).toEqual(whole);
    expect(first.damaged + second.damaged).toBe(0);
    expect(first.consumed + second.consumed).toBe(bytes.length);
  }
});

describe("damage costs only the record it hits", () => {
  const records = Array.from({ length: 12 }, (_, n) => ({ n, text: `récord ${n} "quoted" \u2028`, list: [n, { n }] }));
  const { path, bytes } = journalOf(records);
  const places = parseJournal(bytes).records;

  test("a tail torn at every byte of the last three records; appending afterwards works", () => {
    const start = places[places.length - 3]?.offset ?? 0;
    for (let length = start - 1; length <= bytes.length; length += 1) {
      writeFileSync(path, bytes.subarray(0, length));
      const whole = places.filter((place) => place.end <= length).map((place) => place.value);
      expect(values(readFileSync(path))).toEqual(whole);
      const fd = openJournal(path);
      appendRecord(fd, '{"after":true}');
      closeSync(fd);
      expect(values(readFileSync(path))).toEqual([...whole, { after: true }]);
      expect(readLastRecords(path, 2).records.map((record) => record.value)).toEqual(
        [...whole, { after: true }].slice(-2),
      );
    }
  });

  test("1000 single bits flipped, newlines included", () => {
    const random = seeded(7);
    for (let round = 0; round < 1000; round += 1) {
      const at = round < 200 ? newlineAt(random) : Math.floor(random() * bytes.length);
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      // The newline before and after a record belong to it.
      const untouched = places.filter((place) => at < place.offset - 1 || at > place.end).map((place) => place.value);
      expect(untouched.length).toBeGreaterThanOrEqual(records.length - 1);
      const kept = values(Buffer.concat([flipped, Buffer.from('\n{"after":true}\n')]));
      const seen = untouched.filter(
        (value) => kept.filter((each) => JSON.stringify(each) === JSON.stringify(value)).length === 1,
      );
      expect(seen).toEqual(untouched);
      expect(kept.at(-1)).toEqual({ after: true });
      expect(kept.length).toBeLessThanOrEqual(records.length + 1);
    }
  });

  function newlineAt(random: () => number): number {
    const place = places[Math.floor(random() * places.length)];
    return (random() < 0.5 ? place?.end : (place?.offset ?? 1) - 1) ?? 0;
  }
});

describe("readLastRecords", () => {
  test("agrees with reading everything, for any number and any size of record", () => {
    const random = seeded(3);
    for (let round = 0; round < 30; round += 1) {
      const records = Array.from({ length: 40 }, (_, n) => ({
        n,
        pad: "é".repeat(Math.floor(random() ** 8 * 150_000)),
      }));
      const { path, bytes } = journalOf(records);
      const torn = Math.floor(random() * 40);
      writeFileSync(path, bytes.subarray(0, bytes.length - torn));
      const whole = parseJournal(readFileSync(path));
      for (const n of [0, 1, 7, 40, 1000]) {
        expect(readLastRecords(path, n).records).toEqual(n === 0 ? [] : whole.records.slice(-n));
      }
      expect(readLastRecords(path, 1000).damaged).toBe(whole.damaged);
    }
  });

  test("a missing journal has no records; a link is refused", () => {
    const at = temporaryFolder();
    expect(readLastRecords(join(at, "none"), 3)).toEqual({ records: [], damaged: 0 });
    symlinkSync("/etc/passwd", join(at, "link"));
    for (const name of ["link", "."]) {
      const error = failure(() => readLastRecords(join(at, name), 1));
      expect(error.code).toBe("store.damaged");
      expect(error.message).toContain(`read journal: ${join(at, name)}: `);
    }
  });

  test("journalBackward gives the newest first and reads no further than asked", () => {
    const { path, bytes } = journalOf([{ a: 1 }, { b: "x".repeat(200_000) }, { c: 3 }]);
    writeFileSync(path, Buffer.concat([bytes, Buffer.from('\n{"torn')]));
    expect([...journalBackward(path)].map(({ value }) => Object.keys(value)[0])).toEqual(["c", "b", "a"]);
    for (const { value } of journalBackward(path)) {
      expect(value).toEqual({ c: 3 });
      break;
    }
    expect([...journalBackward(`${path}.none`)]).toEqual([]);
  });
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
