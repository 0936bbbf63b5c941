import { describe, expect, test } from "vitest";
import type { Paint } from "../../../../lib/command/paint.ts";
import { MarkdownPaint } from "./markdown.ts";

const marks: Paint = {
  bold: (text) => `<b>${text}</b>`,
  dim: (text) => text,
  red: (text) => text,
  green: (text) => text,
  yellow: (text) => text,
  cyan: (text) => `<c>${text}</c>`,
};

const cases: Record<string, [text: string, painted: string]> = {
  plain: ["just words", "just words"],
  "a heading to the end of its line": ["# Title\ntext", "<b># Title</b>\ntext"],
  "a hash inside a line is no heading": ["issue #12", "issue #12"],
  code: ["run `ls -l` now", "run <c>`ls -l`</c> now"],
  "a forgotten backtick ends with its line": ["it`s\nfine", "it<c>`s</c>\nfine"],
  "a fence": ["a\n```sh\n# no heading\n`x`\n```\nb", "a\n<c>```sh</c>\n<c># no heading</c>\n<c>`x`</c>\n<c>```</c>\nb"],
};

describe("MarkdownPaint", () => {
  test.each(Object.entries(cases))("%s", (_, [text, painted]) => {
    expect(new MarkdownPaint(marks).add(text)).toBe(painted);
  });

  test.each(Object.entries(cases))("%s, letter by letter", (_, [text, painted]) => {
    const markdown = new MarkdownPaint(marks);
    const joined = Array.from(text)
      .map((letter) => markdown.add(letter))
      .join("");
    expect(joined.replace(/<\/(.)><\1>/g, "")).toBe(painted);
  });
});
