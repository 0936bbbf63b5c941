import { describe, expect, test } from "vitest";
import { readPrompt, recall } from "./prompt.ts";

const wants = (text: string) => readPrompt([{ type: "text", text }]).wants;

describe("what a prompt wants", () => {
  test.each([
    ["fix the parser", "show"],
    ["@README.md says what?", "show"],
    ["write to me@example.org", "show"],
    ["/tmp is full", "show"],
    ["what did I say?", "recall"],
    ["Tell me: what have I asked so far", "recall"],
    ["do you remember me", "recall"],
    ["@say what did I say", "script"],
    ["/memory", "script"],
  ])("%s: %s", (text, type) => {
    expect(wants(text).type).toBe(type);
  });

  test("a script is its lines with @, in order, and nothing else", () => {
    expect(wants("first do\n@say  hello you \nthen\n@hang\r\n @say not at the margin")).toEqual({
      type: "script",
      steps: [
        { name: "say", rest: "hello you" },
        { name: "hang", rest: "" },
      ],
    });
  });

  test("text blocks are one text, images are counted", () => {
    const image = { type: "image" as const, data: "", mimeType: "image/png" };
    expect(readPrompt([{ type: "text", text: "a" }, image, { type: "text", text: "b" }, image])).toMatchObject({
      text: "a\nb",
      images: 2,
    });
  });
});

test("recall says every earlier prompt", () => {
  expect(recall([])).toBe("You said nothing before this.");
  expect(recall(["one", "two\nlines"])).toBe("Earlier you said:\n- one\n- two\n  lines");
});
