import { describe, expect, test } from "vitest";
import { disturbs, listAfter, nothingShown, type ShownList, stepped } from "./shown-list.ts";

/** "a *b (c)": b is current, c is over. */
function list(text: string): ShownList<string> {
  const words = text.split(" ").filter(Boolean);
  const shown = words.map((word) => {
    const key = word.replace(/[*()]/g, "");
    return { key, item: key, over: word.includes("(") };
  });
  const current = words.find((word) => word.includes("*"))?.replace(/[*()]/g, "");
  return { shown, current };
}

const written = ({ shown, current }: ShownList<string>) =>
  shown.map(({ key, over }) => `${key === current ? "*" : ""}${over ? `(${key})` : key}`).join(" ");

describe("the open requests change", () => {
  test.each<[why: string, before: string, open: string, focused: string, mine: string, after: string]>([
    ["the first ones", "", "a b", "", "", "*a b"],
    ["the current one stays current when others come before it", "a *b", "x a b", "", "", "x a *b"],
    ["answered elsewhere, nobody is in it", "*a b c", "b c", "", "", "*b c"],
    ["answered elsewhere with the focus in it", "*a b c", "b c", "a", "", "*(a) b c"],
    ["it keeps its place", "a *b c", "a c", "b", "", "a *(b) c"],
    ["and moves up with its neighbours", "a *b c", "c", "b", "", "*(b) c"],
    ["it stays for as long as the focus does", "*(a) b c", "c", "a", "", "*(a) c"],
    ["it leaves with the focus", "(a) *b c", "b c", "b", "", "*b c"],
    ["also when the focus goes nowhere", "*(a) b c", "b c", "", "", "*b c"],
    ["answered here", "a *b c", "a c", "b", "b", "a *c"],
    ["the last one answered here", "a *b", "a", "b", "b", "*a"],
    ["the only one", "*a", "", "a", "a", ""],
    ["another one is answered", "a *b c", "a b", "b", "", "a *b"],
  ])("%s", (_, before, open, focused, mine, after) => {
    const now = open
      .split(" ")
      .filter(Boolean)
      .map((key) => ({ key, item: key }));
    const change = { open: now, focused: focused || undefined, isMine: (key: string) => key === mine };
    expect(written(listAfter(before === "" ? nothingShown : list(before), change))).toBe(after);
  });
});

test.each([
  ["a *b c", 1, "c"],
  ["a *b c", 9, "c"],
  ["*a b", -1, "a"],
  ["", 1, undefined],
])("stepped %j %i", (before, by, key) => {
  expect(stepped(list(before), by)).toBe(key);
});

test.each([
  ["*a b", "*b", true],
  ["*a b", "*(a) b", true],
  ["a *b", "x a *b", true],
  ["*a b", "*a b c", false],
  ["*a b", "*a", false],
])("from %j to %j disturbs: %s", (before, after, expected) => {
  expect(disturbs(list(before), list(after))).toBe(expected);
});
