import { expect, test } from "vitest";
import type { Line } from "../../../lib/text/lines.ts";
import { Documents } from "./documents.ts";

function taken(...lines: (string | Line)[]): Line[] {
  const documents = new Documents();
  const all = lines.flatMap((line) => documents.take(typeof line === "string" ? { text: line } : line));
  return [...all, ...documents.end()];
}
const texts = (...lines: string[]) => taken(...lines).map((line) => ("text" in line ? line.text : line.oversized));

const cases: Record<string, [string[], string[]]> = {
  "lines of their own stay what they are": [
    ['{"a":1}', "", "noise", '{"b":2}'],
    ['{"a":1}', "", "noise", '{"b":2}'],
  ],
  "one object over several lines": [
    ["{", '  "a": {', '    "b": "}"', "  }", "}"],
    ['{\n  "a": {\n    "b": "}"\n  }\n}'],
  ],
  "between other lines": [
    ["hello", "{", '  "a": 1', "}", "bye"],
    ["hello", '{\n  "a": 1\n}', "bye"],
  ],
  "a brace that begins nothing": [
    ["{", '{"a":1}', '{"b":2}'],
    ["{", '{"a":1}', '{"b":2}'],
  ],
  "cut off": [["{", '  "a": 1,'], ['{\n  "a": 1,']],
  "line ends of Windows": [["{\r", '  "a": 1\r', "}\r"], ['{\n  "a": 1\n}']],
};
test.each(Object.entries(cases))("%s", (_, [lines, whole]) => {
  expect(texts(...lines)).toEqual(whole);
});

test("one that never ends is not kept for ever", () => {
  const long = "x".repeat(6 * 1024 * 1024);
  const lines = taken("{", ` "a": "${long}",`, ` "b": "${long}",`, ` "c": "${long}"`, "}");
  expect(lines[0]).toEqual({ oversized: expect.any(Number) });
});
