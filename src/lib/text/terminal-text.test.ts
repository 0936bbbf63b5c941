import { describe, expect, test } from "vitest";
import { TerminalText } from "./terminal-text.ts";

const read = (chunks: readonly string[], rows = 24) => {
  const terminal = new TerminalText(rows);
  return chunks.map((chunk) => terminal.write(chunk)).join("") + terminal.end();
};

const cases: Record<string, [printed: string, text: string]> = {
  "plain lines": ["one\r\ntwo\r\n", "one\ntwo\n"],
  "lines of a pipe": ["one\ntwo", "one\ntwo\n"],
  colours: ["\x1b[1;31mred\x1b[0m \x1b[38;5;12mblue\x1b[m\r\n", "red blue\n"],
  "titles, links and pictures": [
    "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\x1bPq#0\x1b\\b\r\n",
    "alinkb\n",
  ],
  "a progress bar": ["10 %\r50 %\r100 %\r\ndone\r\n", "100 %\ndone\n"],
  "a shorter line over a longer one, erased": ["downloading\r\x1b[Kok\r\n", "ok\n"],
  backspaces: ["abd\bc\r\n", "abc\n"],
  tabs: ["a\tb\r\n", "a       b\n"],
  "lines drawn again": ["one\r\ntwo\r\n\x1b[2A\x1b[2Kuno\r\n\x1b[2Kdue\r\n", "uno\ndue\n"],
  "a frame erased from below": ["frame 1\r\nmore\r\n\x1b[2A\x1b[Jframe 2\r\n", "frame 2\n"],
  "a cleared screen": ["old\r\nold\r\n\x1b[2J\x1b[Hnew\r\n", "new\n"],
  "text put elsewhere in a line": ["\x1b[5Gx\x1b[3Dab\x1b[2Cy\r\n", "  abx y\n"],
  "a full-screen program": ["before\r\n\x1b[?1049h\x1b[Hjunk\r\njunk\x1b[?1049lafter\r\n", "before\nafter\n"],
  "a lone escape": ["a\x1b\x1b[31mb\r\n", "ab\n"],
  "bells and other controls": ["a\x07\x00b\x7f\x9dc\r\n", "abc\n"],
  nothing: ["\r\n\r\n", ""],
};

describe("what is read of a terminal", () => {
  test.each(Object.entries(cases))("%s", (_, [printed, text]) => {
    expect(read([printed])).toBe(text);
  });

  test.each(Object.entries(cases))("%s, one character at a time", (_, [printed, text]) => {
    expect(read(Array.from(printed))).toBe(text);
  });

  test("what has scrolled away is given back at once, in order, and is not drawn over", () => {
    const terminal = new TerminalText(3);
    const out = terminal.write(Array.from({ length: 100 }, (_, i) => `line ${i}\r\n`).join(""));
    expect(out.split("\n").length).toBe(99);
    const rest = terminal.write("\x1b[99Atop\x1b[K") + terminal.end();
    expect((out + rest).split("\n").slice(96)).toEqual(["line 96", "line 97", "top", "line 99", ""]);
  });

  test("a sequence that never ends holds nothing back for long", () => {
    expect(read([`a\x1b]${"x".repeat(9000)}`, "\r\nend\r\n"])).toContain("end\n");
  });

  test("10 MB take a moment only", () => {
    const line = `${"x".repeat(78)}\r\n`;
    const terminal = new TerminalText(24);
    let bytes = 0;
    for (let i = 0; i < 160; i += 1) bytes += terminal.write(line.repeat(800)).length;
    expect(bytes + terminal.end().length).toBe(160 * 800 * 79);
  });
});
