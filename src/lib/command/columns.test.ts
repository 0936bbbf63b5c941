import { describe, expect, test } from "vitest";
import { columnsOf, fit, fitEnd, hanging, wrap, wrapWords } from "./columns.ts";
import { colours } from "./paint.ts";

test.each([
  ["abc", 3],
  ["漢字", 4],
  ["e\u0301", 1],
  ["🚀", 2],
  ["✓ ok", 4],
  ["a\tb", 9],
  [colours.red("abc"), 3],
  ["", 0],
])("columns of %j", (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

test.each([
  ["short", 10, "short"],
  ["exactly ten", 11, "exactly ten"],
  ["one too long", 11, "one too lo…"],
  ["漢字漢字", 5, "漢字…"],
  ["anything", 1, "…"],
  ["anything", 0, ""],
  ["anything", -3, ""],
])("fit %j into %d", (text, width, expected) => {
  expect(fit(text, width)).toBe(expected);
});

test("the end of a typed line stays in sight", () => {
  expect(fitEnd("a long prompt", 7)).toBe("…prompt");
  expect(fitEnd("short", 7)).toBe("short");
});

describe("wrap", () => {
  test.each([
    ["one two three", 7, ["one two", "three"]],
    ["abcdefghij", 4, ["abcd", "efgh", "ij"]],
    ["a\n\nb", 4, ["a", "", "b"]],
    ["漢字漢", 1, ["漢", "字", "漢"]],
    ["", 5, [""]],
  ])("%j into %d", (text, width, rows) => {
    expect(wrap(text, width)).toEqual(rows);
  });

  test("one line of a megabyte, as an agent may ask for, takes no longer than it is long", () => {
    expect(wrap("word ".repeat(200_000), 40)).toHaveLength(25_000);
  });
});

test.each([
  ["one two three", 8, ["one two", "three"]],
  ["see /a/very/long/path/of/a/file now", 10, ["see", "/a/very/long/path/of/a/file", "now"]],
  ["say `cox run --agent demo`; then go", 16, ["say", "`cox run --agent demo`;", "then go"]],
  ["  deep in\nhere", 8, ["  deep", "in", "here"]],
  ["", 5, [""]],
])("whole words: %j in %d", (text, width, rows) => {
  expect(wrapWords(text, width)).toEqual(rows);
});

test("behind a mark", () => {
  expect(hanging("1. ", "one two three", 10)).toEqual(["1. one two", "   three"]);
});
