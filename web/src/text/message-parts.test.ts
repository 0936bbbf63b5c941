import { describe, expect, test } from "vitest";
import { messageParts, partText } from "./message-parts.ts";

const paragraph = (n: number) => `Paragraph ${n}. ${"word ".repeat(100)}\n\n`;

describe("the parts of a message", () => {
  test("a short one has one", () => {
    expect(messageParts("hello\n\nthere")).toEqual([{ start: 0, end: 12, fence: "" }]);
    expect(messageParts("")).toEqual([]);
  });

  test("together they are the text, each beginning with a block", () => {
    const text = Array.from({ length: 40 }, (_, i) => paragraph(i)).join("");
    const parts = messageParts(text);
    expect(parts.length).toBeGreaterThan(8);
    expect(parts.map((part) => text.slice(part.start, part.end)).join("")).toBe(text);
    for (const part of parts) expect(text.slice(part.start)).toMatch(/^Paragraph/);
  });

  test("a list is not torn at its gaps", () => {
    const text = `${"- item\n\n".repeat(400)}Then a paragraph.\n`;
    const [first] = messageParts(text);
    expect(first?.end).toBeGreaterThan(2000);
  });

  test("a code block that is cut goes on as code", () => {
    const text = `\`\`\`ts\n${"const a = 1;\n".repeat(1000)}\`\`\`\nafter\n`;
    const parts = messageParts(text);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.slice(1).every(({ fence }) => fence === "```ts")).toBe(true);
    expect(partText(text, parts[1] ?? parts[0]!)).toMatch(/^```ts\nconst a/);
  });

  test("growing gives the same as all at once", () => {
    const text = Array.from({ length: 30 }, (_, i) => (i % 7 === 3 ? "```\ncode\n```\n\n" : paragraph(i))).join("");
    let parts = messageParts("");
    for (let end = 0; end <= text.length; end += 97) parts = messageParts(text.slice(0, end), parts);
    expect(messageParts(text, parts)).toEqual(messageParts(text));
  });

  test("a word of megabytes is cut and shown on demand", () => {
    const text = `See ${"x".repeat(5_000_000)} there`;
    const parts = messageParts(text);
    expect(parts.length).toBeLessThan(5);
    expect(parts.find(({ cut }) => cut)).toMatchObject({ cut: true });
    expect(messageParts(text, [], true).length).toBeGreaterThan(500);
    for (const { start, end, cut } of parts) if (!cut) expect(end - start).toBeLessThanOrEqual(6001);
  });
});
