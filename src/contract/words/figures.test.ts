import { expect, test } from "vitest";
import { formatAge, formatBytes, formatCost, formatCount, formatDuration, plural } from "./figures.ts";

test.each([
  [0, "0.0s"],
  [1234, "1.2s"],
  [59_999, "59s"],
  [61_000, "1m 01s"],
  [3_600_000, "1h 00m"],
  [90_000_000, "1d 01h"],
  [-5, "0.0s"],
])("a duration of %d ms", (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
  [0, "0s"],
  [59_999, "59s"],
  [60_000, "1m"],
  [7_200_000, "2h"],
  [200_000_000, "2d"],
])("an age of %d ms", (ms, text) => expect(formatAge(ms)).toBe(text));

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1k"],
  [1234, "1.2k"],
  [99_949, "99.9k"],
  [123_456, "123k"],
  [999_999, "1M"],
  [2_500_000, "2.5M"],
])("a count of %d", (count, text) => expect(formatCount(count)).toBe(text));

test.each([
  [0, ""],
  [0.004, "<$0.01"],
  [1.239, "$1.24"],
])("a cost of %d", (usd, text) => expect(formatCost(usd)).toBe(text));

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1536, "1.5 KB"],
  [5 * 1024 ** 3, "5 GB"],
])("%d bytes", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

test("one of a kind", () => {
  expect([plural(1, "turn"), plural(2, "turn"), plural(0, "turn")]).toEqual(["1 turn", "2 turns", "0 turns"]);
});
