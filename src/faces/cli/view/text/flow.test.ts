import { describe, expect, test } from "vitest";
import { noColours } from "../../../../lib/command/paint.ts";
import { Screen } from "../live/screen.ts";
import { TestTerminal } from "../live/testing/test-terminal.ts";
import { Markdown } from "./markdown.ts";

const cut = (text: string, size: number) => {
  const letters = Array.from(text);
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, at) =>
    letters.slice(at * size, (at + 1) * size).join(""),
  );
};

/** On a terminal of this width, with a footer that comes and goes between the pieces. */
function shown(text: string, columns: number, size: number): string[] {
  const terminal = new TestTerminal(columns, 40);
  const screen = new Screen(terminal);
  const markdown = new Markdown(noColours);
  screen.setFooter({ lines: ["working"] });
  for (const part of cut(text, size)) {
    for (const { text: each, ...style } of markdown.add(part)) screen.stream(each, style);
    screen.flush(true);
  }
  for (const { text: each, ...style } of markdown.end()) screen.stream(each, style);
  screen.setFooter({ lines: [] });
  screen.flush(true);
  return terminal.shown;
}

const words = "The quick brown fox jumps over the lazy dog";
const cases: Record<string, [text: string, columns: number, rows: string[]]> = {
  "words at blanks": [words, 20, ["The quick brown fox", "jumps over the lazy", "dog"]],
  "a row that is exactly full": ["12345 789 next", 10, ["12345 789", "next"]],
  "a word as long as a row": ["a 123456789 b", 10, ["a", "123456789", "b"]],
  "a word that is longer: the terminal breaks it": [
    "see https://x.org/long/path ok",
    14,
    ["see", "https://x.org/", "long/path", "ok"],
  ],
  "lines and empty lines": ["one\n\ntwo three", 10, ["one", "", "two three"]],
  "several blanks": ["ab   cd   ef", 8, ["ab   cd", "ef"]],
  "a list": [
    "- The quick brown fox\n10. jumps over it",
    14,
    ["• The quick", "  brown fox", "10. jumps", "    over it"],
  ],
  "a nested list": ["  - The quick brown", 14, ["  • The quick", "    brown"]],
  "a quote": ["> The quick brown fox", 14, ["│ The quick", "│ brown fox"]],
  "code is not ours to break": ["```\nThe quick brown fox\n```", 10, ["```", "The quick", "brown fox", "```"]],
  "wide letters anywhere": ["漢字漢字漢字漢字", 10, ["漢字漢字", "漢字漢字"]],
  "wide letters and words": ["see 漢字漢字 and go", 10, ["see 漢字", "漢字 and", "go"]],
  "pictures, joined ones whole": ["ab 👩‍💻👩‍💻👩‍💻", 12, ["ab 👩‍💻👩‍💻", "👩‍💻"]],
  "accents that are letters of their own": [
    "cafe\u0301 cafe\u0301 cafe\u0301",
    11,
    ["cafe\u0301 cafe\u0301", "cafe\u0301"],
  ],
  "bold words": ["a **bold brown fox** b", 14, ["a **bold", "brown fox** b"]],
  "a tab": ["a\tb cde", 12, ["a\tb", "cde"]],
};

describe.each([1, 2, 5, 1000])("in pieces of %d", (size) => {
  test.each(Object.entries(cases))("%s", (_, [text, columns, rows]) => {
    expect(shown(text, columns, size)).toEqual(rows);
  });
});

test.each([40, 100])("no word is broken at %d columns, however it comes", (columns) => {
  const text = `${words}. `.repeat(30).trim();
  const whole = shown(text, columns, 1000);
  expect(whole.join(" ")).toBe(text);
  expect(Math.max(...whole.map((row) => row.length))).toBeLessThan(columns);
  for (const size of [1, 3, 7]) expect(shown(text, columns, size)).toEqual(whole);
});

test("a window that changes its width in mid-word tears nothing else", () => {
  const terminal = new TestTerminal(40, 10);
  const screen = new Screen(terminal);
  screen.stream("The quick bro");
  screen.resized();
  screen.stream("wn fox jumps over the lazy dog");
  screen.flush(true);
  expect(terminal.shown.join(" ")).toBe(words);
});
