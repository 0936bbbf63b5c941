import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { PriceTable } from "./price-file.ts";
import { builtinPrices, estimateCost, loadPrices, withCost } from "./prices.ts";

const table: PriceTable = {
  "gpt-x": { input: 2, output: 10, cache_read: 0.2, cache_write: 2.5 },
  "gpt-x-2026-01-01": { input: 1, output: 1 },
  plain: { input: 4, output: 8 },
};
const million = 1_000_000;

describe("an estimate", () => {
  const cases: Record<string, [Parameters<typeof estimateCost>[0], number | undefined]> = {
    "of input and output": [{ input: million, output: million, model: "gpt-x" }, 12],
    "of what the cache gave and took": [
      { input: 0, output: 0, cacheRead: million, cacheWrite: million, model: "gpt-x" },
      2.7,
    ],
    "counts reasoning once: it is part of the output": [
      { input: 0, output: million, reasoning: million, model: "gpt-x" },
      10,
    ],
    "takes the cache for input where it has no price": [{ input: 0, output: 0, cacheRead: million, model: "plain" }, 4],
    "knows a model with its provider": [{ input: million, output: 0, model: "openai/gpt-x" }, 2],
    "knows a dated model by its name": [{ input: million, output: 0, model: "gpt-x-2026-04-09" }, 2],
    "prefers the dated one": [{ input: million, output: 0, model: "gpt-x-2026-01-01" }, 1],
    "of an unknown model isn't made": [{ input: 1, output: 1, model: "gpt-xx" }, undefined],
    "of no model isn't made": [{ input: 1, output: 1 }, undefined],
    "doesn't take a word of JavaScript for a model": [{ input: 1, output: 1, model: "constructor" }, undefined],
  };
  test.each(Object.entries(cases))("%s", (_, [usage, cost]) => {
    const estimate = estimateCost(usage, table);
    if (cost === undefined) expect(estimate).toBeUndefined();
    else expect(estimate).toBeCloseTo(cost, 10);
  });

  test("is marked as one, and leaves a reported cost alone", () => {
    const usage = { input: million, output: 0, model: "plain" };
    expect(withCost(usage, table)).toEqual({ ...usage, costUsd: 4, costSource: "estimated" });
    const reported = { ...usage, costUsd: 1, costSource: "reported" as const };
    expect(withCost(reported, table)).toBe(reported);
    expect(withCost({ input: 1, output: 1 }, table)).toEqual({ input: 1, output: 1 });
  });
});

describe("the table", () => {
  test("knows the models that agents without a price of their own offer", () => {
    for (const model of ["gpt-5.5", "gemini-2.5-pro", "gemini-3.8-flash", "sonar-pro", "grok-4.7"]) {
      expect(builtinPrices[model], model).toBeDefined();
    }
  });

  test("is changed by prices.json, model by model", async () => {
    const home = temporaryFolder();
    expect(await loadPrices(home)).toBe(builtinPrices);
    writeFileSync(
      join(home, "prices.json"),
      '{"gpt-5.5": {"input": 1, "output": 2}, "mine": {"input": 0, "output": 0}}',
    );
    const prices = await loadPrices(home);
    expect(prices["gpt-5.5"]).toEqual({ input: 1, output: 2 });
    expect(prices.mine).toEqual({ input: 0, output: 0 });
    expect(prices["sonar-pro"]).toEqual(builtinPrices["sonar-pro"]);
  });

  test.each([
    ['{"a": {"input": 1}}', "prices.json: a.output: missing"],
    ['{"a": {"input": 1, "output": -1}}', "prices.json: a.output: must be at least 0, not -1"],
    ['{"a": {"input": 1 "output": 1}}', "prices.json: line 1, column 19: this is not JSON"],
  ])("%s is refused with its place", async (text, message) => {
    const home = temporaryFolder();
    writeFileSync(join(home, "prices.json"), text);
    await expect(loadPrices(home)).rejects.toMatchObject({ code: "config.invalid", message });
  });
});
