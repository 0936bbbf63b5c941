import { expect, test } from "vitest";
import type { Content } from "../events.ts";
import { beginningOf, onlyWords, textOf, wordsOf } from "./content.ts";

const chart: Content = { type: "image", mimeType: "image/png", sha256: "h", name: "a\nchart.png" };
const sound: Content = { type: "audio", mimeType: "audio/ogg", sha256: "h" };
const words = (text: string): Content => ({ type: "text", text });

test("the words, with and without what is attached", () => {
  const content = [words("look"), chart, words("and hear"), sound];
  expect(wordsOf(content)).toBe("look\n\nand hear");
  expect(textOf(content)).toBe("look\n[image a chart.png]\nand hear\n[audio audio/ogg]");
});

test("who takes words only refuses the rest by name", () => {
  const refuse = (what: string) => new Error(`can't take ${what}`);
  expect(onlyWords([words("a"), words("b")], refuse)).toBe("a\n\nb");
  expect(() => onlyWords([words("a"), sound], refuse)).toThrow("can't take an audio: text only");
});

test("of a text that lies elsewhere, the beginning", () => {
  expect([beginningOf("all"), beginningOf({ head: "al", bytes: 3, sha256: "h" })]).toEqual(["all", "al"]);
});
