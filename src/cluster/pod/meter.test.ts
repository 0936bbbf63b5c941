import { describe, expect, test } from "vitest";
import { readTranscript } from "../../../test/support/transcript.ts";
import { builtinPrices } from "../../core/agents/registry/prices.ts";
import type { Figures } from "./figures.ts";
import { StreamMeter } from "./meter.ts";

function measure(type: string | undefined, stream: string, model?: string): Figures {
  const meter = new StreamMeter(type, { model, prices: builtinPrices });
  const bytes = Buffer.from(stream);
  // In pieces that respect neither lines nor characters.
  for (let at = 0; at < bytes.length; at += 7) meter.push(bytes.subarray(at, at + 7));
  return meter.end();
}

const recorded = (name: string) =>
  readTranscript<object>(name)
    .filter(({ dir }) => dir === "received")
    .map(({ message }) => JSON.stringify(message))
    .join("\n");

describe("what the real agents said, as recorded", () => {
  const cases: Record<string, [type: string, model: string | undefined, Partial<Figures>]> = {
    "claude-oneshot-text": [
      "claude-code",
      undefined,
      {
        inputTokens: "120",
        outputTokens: "15",
        costUsd: "0.0009400000000000001",
        response: expect.stringContaining("Hello from fake model"),
        abnormal: false,
      },
    ],
    // Ended before it could sum up: each call's own figures, and what the table of prices makes of them.
    "claude-signal-SIGINT": [
      "claude-code",
      undefined,
      {
        inputTokens: "120",
        outputTokens: "1",
        costUsd: "0.00066",
        response: "tick 0 tick 1 tick 2 tick 3 ",
        abnormal: true,
      },
    ],
    "claude-fail-400": [
      "claude-code",
      undefined,
      { inputTokens: "0", outputTokens: "0", costUsd: "0", failure: expect.stringContaining("400"), abnormal: true },
    ],
    "codex-exec-text": [
      "codex",
      "gpt-5.5",
      {
        inputTokens: "150",
        outputTokens: "42",
        costUsd: expect.stringMatching(/^0\.00\d+$/),
        response: "Hello from fake model gpt-5.5. You said: say hello",
      },
    ],
    "codex-exec-fail-bad-key": ["codex", "gpt-5.5", { failure: expect.stringContaining("401") }],
    "gemini-text": [
      "gemini",
      undefined,
      {
        inputTokens: "150",
        outputTokens: "30",
        costUsd: expect.stringMatching(/^0\.000\d+$/),
        response: expect.stringMatching(/^Hello from fake model[^]*say hello$/),
      },
    ],
    "gemini-tool-default": ["gemini", undefined, { inputTokens: "300", outputTokens: "60" }],
    "gemini-fail-bad-key": ["gemini", undefined, { failure: expect.stringContaining("API key") }],
    "opencode-run-text": [
      "opencode",
      "openai/gpt-5.5",
      {
        inputTokens: "100",
        outputTokens: "30",
        costUsd: expect.stringMatching(/^0\.00\d+$/),
        response: 'Hello from fake model fake-1. You said: "say hello"',
      },
    ],
    "opencode-run-fail-bad-key": ["opencode", undefined, { failure: expect.stringMatching(/key/i) }],
  };

  test.each(Object.entries(cases))("%s", (name, [type, model, expected]) => {
    expect(measure(type, recorded(name), model)).toMatchObject(expected);
  });
});

const result = (fields: object) => JSON.stringify({ type: "result", subtype: "success", ...fields });
const lines = (...texts: string[]) => texts.join("\n");

describe("the table of usage", () => {
  const cases: Record<string, [type: string | undefined, stream: string, Partial<Figures>]> = {
    "claude: the last result wins": [
      "claude-code",
      lines(
        result({ total_cost_usd: 0.1, usage: { input_tokens: 1, output_tokens: 2 }, result: "first" }),
        result({ total_cost_usd: 0.2, usage: { input_tokens: 3, output_tokens: 4 }, result: "second" }),
      ),
      { inputTokens: "3", outputTokens: "4", costUsd: "0.2", response: "second" },
    ],
    "claude: the cache's tokens are not input": [
      "claude-code",
      result({ usage: { input_tokens: 5, cache_read_input_tokens: 900, output_tokens: 6 } }),
      { inputTokens: "5", outputTokens: "6", costUsd: undefined },
    ],
    "numbers keep their spelling": [
      "claude-code",
      '{"type":"result","total_cost_usd": 0.0500,"usage":{"input_tokens":12345678901234567890,"output_tokens":1e3}}',
      { inputTokens: "12345678901234567890", outputTokens: "1e3", costUsd: "0.0500" },
    ],
    "a field of that name elsewhere is not meant": [
      "claude-code",
      '{"type":"result","usage":{"input_tokens":7,"output_tokens":8},"models":{"x":{"input_tokens":9}},"result":"\\"input_tokens\\":7.0"}',
      { inputTokens: "7", outputTokens: "8" },
    ],
    "codex: a sum over its turns": [
      "codex",
      lines(
        '{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":10,"output_tokens":5}}',
        '{"type":"item.completed","item":{"type":"agent_message","text":"one"}}',
        '{"type":"item.completed","item":{"type":"reasoning","text":"hm"}}',
        '{"type":"turn.completed","usage":{"input_tokens":50,"output_tokens":7}}',
      ),
      { inputTokens: "150", outputTokens: "12", costUsd: undefined, response: "one" },
    ],
    "gemini: as the interface's documents show it": [
      "gemini",
      lines(
        '{"type":"message","role":"assistant","content":"whole"}',
        '{"type":"result","stats":{"inputTokens":11,"outputTokens":22}}',
      ),
      { inputTokens: "11", outputTokens: "22", response: "whole" },
    ],
    "opencode: a sum over its steps, money too": [
      "opencode",
      lines(
        '{"type":"step_finish","part":{"tokens":{"input":1,"output":2},"cost":0.25}}',
        '{"type":"text","part":{"text":"nested"}}',
        '{"type":"step_finish","part":{"tokens":{"input":3,"output":4},"cost":0.5}}',
      ),
      { inputTokens: "4", outputTokens: "6", costUsd: "0.75", response: "nested" },
    ],
    "opencode: text beside the part": ["opencode", '{"type":"text","text":"flat"}', { response: "flat" }],
    cursor: [
      "cursor",
      '{"type":"result","usage":{"inputTokens":8,"outputTokens":9},"result":"done"}',
      { inputTokens: "8", outputTokens: "9", response: "done" },
    ],
    "malformed lines, and lines of others, are passed over": [
      "claude-code",
      lines("Warning: x", '{"type":"result"', "null", "[1]", '"x"', "", result({ usage: { input_tokens: 1 } }), "bye"),
      { inputTokens: "1", outputTokens: undefined },
    ],
    "numbers that are none": [
      "claude-code",
      result({ total_cost_usd: "0.1", usage: { input_tokens: null, output_tokens: "5" } }),
      { inputTokens: undefined, outputTokens: undefined, costUsd: undefined },
    ],
    "no stream": ["claude-code", "", { inputTokens: undefined, response: undefined, abnormal: false }],
    "a type nobody knows": ["telepath", result({ usage: { input_tokens: 1 } }), { inputTokens: undefined }],
    "a type called like a method": ["constructor", result({ usage: { input_tokens: 1 } }), { inputTokens: undefined }],
    "no type": [undefined, result({ usage: { input_tokens: 1 } }), { inputTokens: undefined }],
  };
  test.each(Object.entries(cases))("%s", (_, [type, stream, expected]) => {
    const figures: Record<string, unknown> = { ...measure(type, stream) };
    const picked = Object.fromEntries(Object.keys(expected).map((key) => [key, figures[key]]));
    expect(picked).toEqual(expected);
  });
});

describe("an end that is none, by claude's own word", () => {
  test.each([
    ["a normal one", { stop_reason: "end_turn", terminal_reason: "completed" }, false],
    ["an older version says less", { stop_reason: null }, false],
    ["empty reasons", { stop_reason: "", terminal_reason: "" }, false],
    ["in the middle of a tool", { stop_reason: "tool_use" }, true],
    ["too many turns", { subtype: "error_max_turns" }, true],
    ["an error", { is_error: true, result: "boom" }, true],
    ["an API error that calls itself a success", { is_error: true, terminal_reason: "api_error" }, true],
    ["aborted", { terminal_reason: "aborted_tools" }, true],
  ])("%s", (_, fields, abnormal) => {
    const figures = measure("claude-code", result(fields));
    expect(figures.abnormal).toBe(abnormal);
    expect(figures.failure !== undefined).toBe(abnormal);
  });
});
