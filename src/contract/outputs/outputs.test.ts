import { describe, expect, test } from "vitest";
import {
  addUsage,
  formatOutputs,
  MAX_OUTPUTS_BYTES,
  noBlock,
  OUTPUTS_END,
  OUTPUTS_START,
  parseOutputs,
  responseOf,
  resultsOf,
  scanLine,
  usageOf,
} from "./outputs.ts";

const START = OUTPUTS_START;
const END = OUTPUTS_END;
const log = (...lines: string[]) => lines.join("\n");
const found = (...lines: string[]) => lines;
const nothing: string[] = [];

describe("the block in a log", () => {
  const cases: Record<string, [string, unknown]> = {
    "one block": [log("noise", START, "branch: main", "commit: abc", END, ""), found("branch: main", "commit: abc")],
    "several complete pairs with noise between them: the last": [
      log(START, "branch: a", END, "noise", START, "branch: b", END, "more noise"),
      found("branch: b"),
    ],
    "an end before a start": [log(END, "branch: a", START), nothing],
    "a missing end": [log(START, "branch: a"), nothing],
    "a missing end after a complete block": [log(START, "branch: a", END, START, "branch: b"), found("branch: a")],
    "a start within a block begins anew": [log(START, "branch: a", START, "branch: b", END), found("branch: b")],
    "a second end": [log(START, "branch: a", END, "x", END), found("branch: a")],
    "blank lines only": [log(START, "", "   ", "\t", END), nothing],
    "an empty block after one with something in it": [log(START, "branch: a", END, START, END), nothing],
    CRLF: [log(`${START}\r`, "branch: main\r", "pr: u\r", `${END}\r`, ""), found("branch: main", "pr: u")],
    "no log": ["", nothing],
    "blanks around lines": [log(START, "  branch: a  ", END), found("branch: a")],
    "blanks around markers": [log(`  ${START}`, "branch: a", `${END} `), nothing],
    "a marker that is only part of a line": [
      log(`{"text":"${START}"}`, "branch: evil", `{"text":"${END}"}`, `2026-01-01 ${START}`, "x: y", `> ${END}`),
      nothing,
    ],
    "a marker quoted after the block": [
      log(START, "branch: a", END, `the marker is ${START}`, `and ${END}`),
      found("branch: a"),
    ],
  };

  test.each(Object.entries(cases))("%s", (_, [text, expected]) => {
    expect(parseOutputs(text)).toEqual(expected);
  });

  const scanned = (lines: readonly (string | undefined)[], scan = noBlock()) => {
    for (const line of lines) scanLine(scan, line);
    return { found: scan.found, tooLarge: scan.tooLarge };
  };

  test("ten megabytes of noise after it, and a line too long to read", () => {
    const noise = Array.from({ length: 10_000 }, () => "x".repeat(1000));
    const lines = [START, "branch: main", END, undefined, ...noise];
    expect(scanned(lines)).toEqual({ found: ["branch: main"], tooLarge: false });
  });

  test.each([
    ["a block", ["x".repeat(MAX_OUTPUTS_BYTES), "commit: a"]],
    ["a line", ["branch: main", undefined, "commit: a"]],
  ])("%s too large is told, never taken for a whole one", (_, lines) => {
    const { tooLarge, found: kept } = scanned([START, ...lines, END]);
    expect(tooLarge).toBe(true);
    expect(kept).not.toContain("commit: a");
  });

  test("who knows which block is the right one passes over a forged one, before it or after it", () => {
    const block = (...lines: string[]) => [START, ...lines, END];
    const lines = [...block("commit: forged"), ...block("commit: right"), ...block("commit: forged too")];
    expect(
      scanned(
        lines,
        noBlock((found) => found.includes("commit: right")),
      ).found,
    ).toEqual(["commit: right"]);
  });

  test("what is written is found again", () => {
    expect(formatOutputs([])).toBe("");
    expect(parseOutputs(formatOutputs(["branch: a", "bare"]))).toEqual(["branch: a", "bare"]);
  });
});

describe("results", () => {
  const cases: Record<string, [string[], Record<string, string>]> = {
    "split at the first separator": [["title: a: b: c"], { title: "a: b: c" }],
    "a bare line": [["just words", "branch: a"], { branch: "a" }],
    "a repeated key: the last": [["pr: one", "pr: two"], { pr: "two" }],
    "an empty key": [[": value"], {}],
    "a colon without a blank": [["https://example.org", "a:b"], {}],
    "an empty value": [["empty: "], { empty: "" }],
  };
  test.each(Object.entries(cases))("%s", (_, [lines, expected]) => {
    expect(resultsOf(lines)).toEqual(expected);
  });

  test("a key called __proto__ is a key", () => {
    const results = resultsOf(["__proto__: x", "constructor: y"]);
    expect(Object.keys(results)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(results)).toBe(Object.prototype);
    expect(usageOf(resultsOf([]))).toBeUndefined();
  });
});

describe("usage", () => {
  test.each([
    ["figures", { "input-tokens": "12", "output-tokens": "3", "cost-usd": "0.0500" }, [12, 3, "0.0500"]],
    ["words", { "input-tokens": "many", "output-tokens": "-3", "cost-usd": "free" }, []],
    ["fractions of tokens, negative money", { "input-tokens": "1.5", "cost-usd": "-1" }, []],
    ["an exponent", { "cost-usd": "9.4e-05" }, [undefined, undefined, "9.4e-05"]],
  ])("%s", (_, results, [inputTokens, outputTokens, costUSD]) => {
    const figures = JSON.parse(JSON.stringify({ inputTokens, outputTokens, costUSD }));
    expect(usageOf(results as Record<string, string>) ?? {}).toEqual(figures);
  });

  test("attempts add up, whichever of them said something", () => {
    const a = { inputTokens: 1, costUSD: "0.1" };
    const b = { inputTokens: 2, outputTokens: 3, costUSD: "0.2" };
    expect(addUsage(a, b)).toEqual({ inputTokens: 3, outputTokens: 3, costUSD: "0.3" });
    expect(addUsage(undefined, b)).toEqual(b);
    expect(addUsage(a, undefined)).toEqual(a);
  });
});

test("a response comes back as text, and garbage as nothing", () => {
  const encoded = Buffer.from("grün\nund blau").toString("base64");
  expect(responseOf({ response: encoded })).toBe("grün\nund blau");
  expect(responseOf({ response: "!!!" })).toBeUndefined();
  expect(responseOf({})).toBeUndefined();
});
