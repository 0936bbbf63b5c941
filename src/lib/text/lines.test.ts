import { describe, expect, test } from "vitest";
import { type Line, LineSplitter, linesOf } from "./lines.ts";

const split = (chunks: (string | Buffer)[], cap?: number): Line[] => {
  const splitter = new LineSplitter(cap);
  return [...chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk as string))), ...splitter.end()];
};
const text = (...texts: string[]): Line[] => texts.map((text) => ({ text }));

describe("LineSplitter", () => {
  const cases: Record<string, { chunks: (string | Buffer)[]; cap?: number; lines: Line[] }> = {
    nothing: { chunks: [], lines: [] },
    "an empty chunk": { chunks: [""], lines: [] },
    "one line": { chunks: ["a\n"], lines: text("a") },
    "several lines in a chunk": { chunks: ["a\nb\n\nc\n"], lines: text("a", "b", "", "c") },
    "a last line without newline": { chunks: ["a\nb"], lines: text("a", "b") },
    "a line over several chunks": { chunks: ["a", "b", "", "c\nd", "\n"], lines: text("abc", "d") },
    "a newline alone in its chunk": { chunks: ["a", "\n", "\n"], lines: text("a", "") },
    "CR LF": { chunks: ["a\r\nb\r\n\r\n"], lines: text("a", "b", "") },
    "CR LF cut in the middle": { chunks: ["a\r", "\nb"], lines: text("a", "b") },
    "only the last CR is part of the line end": { chunks: ["a\r\r\nb\rc\n"], lines: text("a\r", "b\rc") },
    "U+2028 and U+0085 are no line ends": { chunks: ["a\u2028b\u0085c\n"], lines: text("a\u2028b\u0085c") },
    "a character cut in the middle": {
      chunks: [Buffer.from("héllo\n").subarray(0, 2), Buffer.from("héllo\n").subarray(2)],
      lines: text("héllo"),
    },
    "invalid UTF-8 and NUL": { chunks: [Buffer.from([0x61, 0xff, 0x00, 0x62, 0x0a])], lines: text("a\ufffd\0b") },
    "exactly the cap": { chunks: ["12345\n6\n"], cap: 5, lines: text("12345", "6") },
    "one byte over the cap, in one chunk": {
      chunks: ["a\n123456\nb\n"],
      cap: 5,
      lines: [{ text: "a" }, { oversized: 6 }, { text: "b" }],
    },
    "over the cap, in many chunks": {
      chunks: ["123", "456", "789\nb\n"],
      cap: 5,
      lines: [{ oversized: 9 }, { text: "b" }],
    },
    "over the cap without end": { chunks: ["a\n123", "456"], cap: 5, lines: [{ text: "a" }, { oversized: 6 }] },
    "two oversized in a row": { chunks: ["1234567\n123456\n"], cap: 5, lines: [{ oversized: 7 }, { oversized: 6 }] },
  };
  test.each(Object.entries(cases))("%s", (_name, { chunks, cap, lines }) => {
    expect(split(chunks, cap)).toEqual(lines);
  });

  test("cutting the bytes anywhere changes nothing", () => {
    const whole = Buffer.from('{"a":"é\u2028x"}\r\n\n{"b":2}\n12345678901234567890123456789\ntail 🚣 end');
    const expected = split([whole], 24);
    expect(expected).toContainEqual({ oversized: 29 });
    for (let a = 0; a <= whole.length; a += 1) {
      for (let b = a; b <= whole.length; b += 1) {
        const parts = [whole.subarray(0, a), whole.subarray(a, b), whole.subarray(b)];
        expect(split(parts, 24)).toEqual(expected);
      }
    }
  });

  test("an oversized line is not kept in memory", () => {
    const splitter = new LineSplitter(1024);
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 500; i += 1) splitter.push(Buffer.alloc(1024 * 1024, 0x78));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(300 * 1024 * 1024);
    expect(splitter.end()).toEqual([{ oversized: 500 * 1024 * 1024 }]);
  });
});

test("linesOf yields what a chunk completes, and the rest at the end", async () => {
  async function* chunks() {
    yield Buffer.from("a\nb");
    yield Buffer.from("c");
    yield Buffer.from("\nd\ne");
  }
  const batches = [];
  for await (const lines of linesOf(chunks())) batches.push(lines);
  expect(batches).toEqual([text("a"), text("bc", "d"), text("e")]);
});
