import { describe, expect, test } from "vitest";
import { excerpt, notShown } from "./excerpt.ts";

describe("excerpt", () => {
  test.each<[string, number, object]>([
    ["", 3, { head: "", tail: "", hidden: 0 }],
    ["abc", 3, { head: "abc", tail: "", hidden: 0 }],
    ["abcd", 3, { head: "ab", tail: "d", hidden: 1 }],
    [`${"x".repeat(5000)} rm -rf /`, 12, { head: "xxxxxxxx", tail: "rf /", hidden: 4997 }],
    ["abc", 1, { head: "a", tail: "", hidden: 2 }],
  ])("of %j, %i", (text, most, expected) => {
    expect(excerpt(text, most)).toEqual(expected);
  });

  test("of a list", () => {
    expect(excerpt([1, 2, 3, 4, 5, 6, 7], 3)).toEqual({ head: [1, 2], tail: [7], hidden: 4 });
  });

  test("nothing is lost and nothing is said twice", () => {
    for (let length = 0; length < 40; length += 1) {
      const { head, tail, hidden } = excerpt("x".repeat(length), 9);
      expect(head.length + hidden + tail.length).toBe(length);
    }
  });
});

test.each<[number, string, string]>([
  [1, "line", "1 line is not shown"],
  [3800, "character", "3,800 characters are not shown"],
])("notShown %i", (hidden, one, words) => {
  expect(notShown(hidden, one)).toBe(words);
});
