import { expect, test } from "vitest";
import type { Key } from "../live/keys.ts";
import { placeAfter, stepOf } from "./steps.ts";

const text = (letters: string): Key => ({ key: "text", text: letters });

test.each<[Key, number]>([
  [{ key: "right" }, 1],
  [{ key: "left" }, -1],
  [text("j"), 1],
  [text("jjj"), 3],
  [text("kk"), -2],
  [text("jk"), 0],
  [text("ja"), 0],
  [{ key: "text", text: "j", pasted: true }, 0],
  [{ key: "enter" }, 0],
])("%j", (key, step) => {
  expect(stepOf(key, "j", "k")).toBe(step);
});

test.each([
  [0, 1, 1],
  [0, 9, 2],
  [2, -9, 0],
])("from %d by %d of three", (at, step, place) => {
  expect(placeAfter(at, step, 3)).toBe(place);
});
