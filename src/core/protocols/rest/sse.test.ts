import { describe, expect, test } from "vitest";
import { sseItems } from "./sse.ts";
import { atStart, restOf, splitThoughts } from "./think.ts";

async function items(...chunks: (string | Uint8Array)[]): Promise<unknown[]> {
  const stream = (async function* () {
    for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  })();
  const found: unknown[] = [];
  for await (const item of sseItems(stream)) found.push("data" in item ? item.data : item);
  return found;
}

describe("server-sent events", () => {
  test.each([
    ["LF", ["data: a\n\ndata: b\n\n"], ["a", "b"]],
    ["CRLF", ["data: a\r\n\r\ndata: b\r\n\r\n"], ["a", "b"]],
    ["without a space", ["data:a\n\n"], ["a"]],
    ["only one space is the format's", ["data:  a\n\n"], [" a"]],
    ["cut anywhere", ["da", "ta: a", "\n", "\nd", "ata: b\n\n"], ["a", "b"]],
    ["comments and heartbeats", [": ping\n\n:\n\ndata: a\n: in between\n\n"], ["a"]],
    ["other fields", ["event: x\nid: 7\nretry: 10\ndata: a\n\n"], ["a"]],
    ["several lines of one event", ["data: a\ndata: b\n\n"], ["a\nb"]],
    ["the last one without its blank line", ["data: a\n\ndata: [DONE]"], ["a", "[DONE]"]],
    ["nothing", [], []],
  ])("%s", async (_, chunks, expected) => {
    expect(await items(...chunks)).toEqual(expected);
  });

  test("a character cut in the middle", async () => {
    const bytes = Buffer.from("data: grüße 🚣\n\n");
    const cuts = Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1));
    expect(await items(...cuts)).toEqual(["grüße 🚣"]);
  });
});

describe("thoughts within the answer", () => {
  /** However the text is cut, the parts come out the same. */
  function split(text: string, size: number): { reasoning: string; answer: string } {
    let state = atStart;
    const whole = { reasoning: "", answer: "" };
    for (let at = 0; at < text.length; at += size) {
      const [next, said] = splitThoughts(state, text.slice(at, at + size));
      state = next;
      whole.reasoning += said.reasoning;
      whole.answer += said.answer;
    }
    const rest = restOf(state);
    return { reasoning: whole.reasoning + rest.reasoning, answer: whole.answer + rest.answer };
  }

  const cases: [text: string, reasoning: string, answer: string][] = [
    ["<think>hm, 1 < 2</think>\n\nyes", "hm, 1 < 2", "yes"],
    ["\n<think>\na</think>b", "\na", "b"],
    ["plain", "", "plain"],
    ["use <think> tags </think>", "", "use <think> tags </think>"],
    ["<thi", "", "<thi"],
    ["<thin air", "", "<thin air"],
    ["<think>cut </th", "cut </th", ""],
    ["<think>a</thing></think>b</think>", "a</thing>", "b</think>"],
    ["<think></think>", "", ""],
    ["  ", "", "  "],
  ];
  test.each(cases)("%j", (text, reasoning, answer) => {
    for (let size = 1; size <= text.length; size += 1) expect(split(text, size)).toEqual({ reasoning, answer });
  });

  test("a thought is passed on as it comes", () => {
    const [first] = splitThoughts(atStart, "<think>");
    expect(splitThoughts(first, "so far")[1]).toEqual({ reasoning: "so far", answer: "" });
  });
});
