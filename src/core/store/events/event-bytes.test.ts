import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { isClosedLine, lastEventIn, offsetAfter, seqOf, typeAt } from "./event-bytes.ts";

const line = (seq: number, text = "x") =>
  `{"seq":${seq},"at":"2026-11-15T00:00:00.000Z","type":"message_chunk","messageId":"m","text":${JSON.stringify(text)}}`;
const seqIn = (text: string) => seqOf(Buffer.from(text), 0, Buffer.byteLength(text));
const journal = (...lines: string[]) => lines.map((each) => `\n${each}\n`).join("");

describe("the number of a line", () => {
  test.each([
    [line(1), 1],
    [line(1234567), 1234567],
    ['{"type":"x"}', 0],
    ['{"seq":"1","at"', 0],
    ['{"seq":12', 0],
    ["", 0],
  ])("%s", (text, seq) => {
    expect(seqIn(text)).toBe(seq);
  });
});

test("the last event is found behind a torn line and blank ones", () => {
  const bytes = Buffer.from(`${journal(line(1), line(2))}\n{"seq":3,"at\n\n`);
  const found = lastEventIn(bytes);
  expect(found?.seq).toBe(2);
  expect(bytes.toString("utf8", found?.from, found?.to)).toBe(line(2));
  expect(lastEventIn(Buffer.from("\n\nabc\n"))).toBeUndefined();
});

test("the closing line is known by what it says, not by what somebody wrote in a text", () => {
  const closed = Buffer.from('{"seq":9,"at":"t","type":"session_status","status":"closed","reason":"done"}');
  expect(isClosedLine(closed, 0, closed.length)).toBe(true);
  const quoted = Buffer.from(line(9, '"type":"session_status","status":"closed"'));
  expect(isClosedLine(quoted, 0, quoted.length)).toBe(false);
  expect(typeAt(closed, 0, closed.length)).toBe("session_status");
});

describe("the place behind an event", () => {
  const folder = temporaryFolder;
  const sizes = { short: () => 10, mixed: (seq: number) => (seq % 50 === 0 ? 70_000 : (seq * 37) % 900) };

  test.each(Object.entries(sizes))("is the same as by reading from the beginning: %s lines", (_, size) => {
    const lines = Array.from({ length: 700 }, (_, i) => line(i + 1, "é".repeat(size(i + 1) / 2)));
    lines.splice(300, 0, '{"seq":301,"at":"torn'); // as a kill in the middle of a write leaves it
    const text = journal(...lines);
    const path = join(folder(), "events.jsonl");
    writeFileSync(path, text);
    const bytes = Buffer.from(text);
    const fd = openSync(path, "r");
    try {
      for (const seq of [0, 1, 2, 49, 50, 51, 299, 300, 301, 500, 699, 700, 800]) {
        const offset = offsetAfter(fd, bytes.length, seq);
        const rest = bytes.subarray(offset).toString().split("\n").filter(Boolean);
        expect(seqIn(rest.find((each) => seqIn(each) > 0) ?? "")).toBe(seq >= 700 ? 0 : seq + 1);
      }
    } finally {
      closeSync(fd);
    }
  });
});
