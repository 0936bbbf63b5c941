import { join } from "node:path";
import { z } from "zod";
import { AppError } from "../../../contract/errors.ts";
import type { Usage } from "../../../contract/events.ts";
import { describeIssues } from "./issue.ts";
import { brokenAt } from "./json-place.ts";
import { readOptional } from "./optional-file.ts";
import builtin from "./prices.json" with { type: "json" };

/** US dollars per million tokens. Without a price of its own, what the cache gives or takes costs as much as input. */
const Price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cache_read: z.number().nonnegative().optional(),
  cache_write: z.number().nonnegative().optional(),
});
const PriceTable = z.record(z.string(), Price);
export type PriceTable = z.infer<typeof PriceTable>;

export const builtinPrices: PriceTable = builtin;

/** The built-in prices, and `$COX_HOME/prices.json` over them, model by model. */
export function loadPrices(home: string): PriceTable {
  const text = readOptional(join(home, "prices.json"));
  if (text === undefined) return builtinPrices;
  const data = parse(text);
  const own = PriceTable.safeParse(data);
  if (own.success) return { ...builtinPrices, ...own.data };
  throw new AppError("config.invalid", `prices.json: ${describeIssues(own.error, data)}`);
}

/** For agents that report tokens but no money. Undefined when there is no price for the model: no guess is better than a bad one. */
export function estimateCost(usage: Usage, table: PriceTable): number | undefined {
  const price = usage.model === undefined ? undefined : priceOf(usage.model, table);
  if (price === undefined) return undefined;
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  const millionths =
    input * price.input +
    output * price.output + // reasoning is part of it
    cacheRead * (price.cache_read ?? price.input) +
    cacheWrite * (price.cache_write ?? price.input);
  return millionths / 1_000_000;
}

/** What was reported stays; what was not gets an estimate, marked as one. */
export function withCost(usage: Usage, table: PriceTable): Usage {
  if (usage.costUsd !== undefined) return usage;
  const costUsd = estimateCost(usage, table);
  return costUsd === undefined ? usage : { ...usage, costUsd, costSource: "estimated" };
}

/** `openai/gpt-5.5-2026-04-01` is priced as `gpt-5.5`, unless the table knows it better. */
function priceOf(model: string, table: PriceTable) {
  const name = model.slice(model.lastIndexOf("/") + 1);
  const undated = name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  const key = [model, name, undated].find((candidate) => Object.hasOwn(table, candidate));
  return key === undefined ? undefined : table[key];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { line, column } = brokenAt(text);
    throw new AppError("config.invalid", `prices.json: line ${line}, column ${column}: this is not JSON`);
  }
}
