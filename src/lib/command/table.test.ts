import { expect, test } from "vitest";
import { renderTable, renderWrapped } from "./table.ts";

const rows = [
  ["NAME", "WHAT"],
  ["a", "one two three four five"],
  ["long", "short"],
];

test.each<[number | undefined, string]>([
  [undefined, "NAME  WHAT\na     one two three four five\nlong  short\n"],
  [20, "NAME  WHAT\na     one two three\n      four five\nlong  short\n"],
])("what doesn't fit into %s columns goes on below", (width, text) => {
  expect(renderWrapped(rows, width)).toBe(text);
});

test("or is cut", () => {
  expect(renderTable(rows, 20)).toBe("NAME  WHAT\na     one two three…\nlong  short\n");
});
