import { describe, expect, test } from "vitest";
import { noColours, type Paint } from "../../../../lib/command/paint.ts";
import { Markdown, type Piece } from "./markdown.ts";

const tagged: Paint = {
  ...noColours,
  bold: (text) => `<b>${text}</b>`,
  italic: (text) => `<i>${text}</i>`,
  dim: (text) => `<d>${text}</d>`,
  cyan: (text) => `<c>${text}</c>`,
};

const shown = (pieces: readonly Piece[]) =>
  pieces
    .map(({ text, paint }) => (text === "\n" ? text : paint(text)))
    .join("")
    .replace(/<\/(.)><\1>/g, "");

function render(parts: Iterable<string>, paint: Paint): string {
  const markdown = new Markdown(paint);
  const pieces: Piece[] = [];
  for (const part of parts) pieces.push(...markdown.add(part));
  return shown([...pieces, ...markdown.end()]);
}

/** The text, with colours, and without where that is not the text itself. */
const cases: Record<string, [text: string, coloured: string, plain?: string]> = {
  plain: ["just words", "just words"],
  lines: ["a\n\nb\n", "a\n\nb\n"],
  "a heading": ["# Title\ntext", "<b>Title</b>\ntext"],
  "a heading with code": ["### Use `ls`\n", "<b>Use <c>ls</c></b>\n"],
  "a hash that is no heading": ["#12 and issue #12", "#12 and issue #12"],
  "bold and italic": ["**bold** and *it* and __b__ and _i_", "<b>bold</b> and <i>it</i> and <b>b</b> and <i>i</i>"],
  both: ["***all***", "<b><i>all</i></b>"],
  "one in the other": ["**bold *and* more**", "<b>bold <i>and</i> more</b>"],
  "bold that begins a line": ["**Note:** x", "<b>Note:</b> x"],
  code: ["run `ls -l` now", "run <c>ls -l</c> now"],
  "marks in code": ["`**x**` and ``a`b``", "<c>**x**</c> and <c>a`b</c>"],
  "a mark that is never closed": ["it`s\n**fine\nx_", "it`s\n**fine\nx_"],
  "names and figures": [
    "snake_case_name 2*3*4 f(*args, **kwargs) __init__x",
    "snake_case_name 2*3*4 f(*args, **kwargs) __init__x",
  ],
  "stars with blanks": ["a * b * c ** d **", "a * b * c ** d **"],
  escapes: ["\\*no\\* \\_ C:\\dir \\", "*no* _ C:\\dir \\", "*no* _ C:\\dir \\"],
  "a fence": [
    "a\n```sh\n# no heading\n**x** `y`\n- z\n```\nb **c**",
    "a\n<d>```sh</d>\n<c># no heading</c>\n<c>**x** `y`</c>\n<c>- z</c>\n<d>```</d>\nb <b>c</b>",
  ],
  "a longer fence around a fence": ["````\n```\n````\nx", "<d>````</d>\n<c>```</c>\n<d>````</d>\nx"],
  "code in three ticks is no fence": ["```x``` y", "<c>x</c> y"],
  "a fence that is never closed": ["~~~\n  x", "<d>~~~</d>\n<c>  x</c>"],
  "a list": [
    "- one\n* two\n  + three\n1. four\n10) five",
    "<c>• </c>one\n<c>• </c>two\n<c>  • </c>three\n<c>1. </c>four\n<c>10) </c>five",
    "• one\n• two\n  • three\n1. four\n10) five",
  ],
  "a list with marks": ["- **a**: b\n* *c*", "<c>• </c><b>a</b>: b\n<c>• </c><i>c</i>", "• **a**: b\n• *c*"],
  "no list": ["-x\n1.5 is\n2024 was", "-x\n1.5 is\n2024 was"],
  quotes: ["> said\n> > *deep*", "<d>│ </d>said\n<d>│ │ </d><i>deep</i>", "│ said\n│ │ *deep*"],
  "a list in a quote": ["> - a", "<d>│ </d><c>• </c>a", "│ • a"],
  rules: ["---\n* * *\n___", "<d>---</d>\n<d>* * *</d>\n<d>___</d>"],
  "a link": [
    "see [the docs](https://x.org/a_b_c(d)) now",
    "see the docs <d>(https://x.org/a_b_c(d))</d> now",
    "see the docs (https://x.org/a_b_c(d)) now",
  ],
  "a link that lies": [
    "[https://good.org](https://evil.org)",
    "https://good.org <d>(https://evil.org)</d>",
    "https://good.org (https://evil.org)",
  ],
  "a link that says itself": [
    "[https://x.org](https://x.org) <https://y.org>",
    "<d>https://x.org</d> <d>https://y.org</d>",
    "https://x.org https://y.org",
  ],
  "a picture": ['![a cat](cat.png "x")', "a cat <d>(cat.png)</d>", "a cat (cat.png)"],
  "brackets that are no link": ["a[0] [x] [ ] (y) ![ <b> a<b", "a[0] [x] [ ] (y) ![ <b> a<b"],
};

const sizes = { "in one piece": 1e9, "letter by letter": 1, "by threes": 3 };

describe.each(Object.entries(sizes))("Markdown %s", (_, size) => {
  const cut = (text: string) =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));

  test.each(Object.entries(cases))("%s", (_, [text, coloured]) => {
    expect(render(cut(text), tagged)).toBe(coloured);
  });

  test.each(Object.entries(cases))("%s, without colours", (_, [text, __, plain]) => {
    expect(render(cut(text), noColours)).toBe(plain ?? text);
  });
});

test("nothing is held back but what may become a mark", () => {
  const markdown = new Markdown(tagged);
  const add = (text: string) => shown(markdown.add(text));
  expect(add("Hel")).toBe("Hel");
  expect(add("lo **wor")).toBe("lo ");
  expect(add("ld** a")).toBe("<b>world</b> a");
  expect(add("\n-")).toBe("\n");
  expect(add(" x")).toBe("<c>• </c>x");
  expect(add("\n```")).toBe("\n");
  expect(add("\nco")).toBe("<d>```</d>\n<c>co</c>");
});

test("a mark that nobody closes holds back no more than a few lines", () => {
  const markdown = new Markdown(tagged);
  const text = `**${"word ".repeat(200)}`;
  expect(shown(markdown.add(text))).toBe(text);
});

test("a wall of marks takes no time", () => {
  const began = performance.now();
  for (const mark of ["*a ", "_", "`a``", "[", "![a](", "**a *b ", "\\", "<h"]) {
    const markdown = new Markdown(tagged);
    markdown.add(mark.repeat(5000));
    markdown.end();
  }
  expect(performance.now() - began).toBeLessThan(5000);
});
