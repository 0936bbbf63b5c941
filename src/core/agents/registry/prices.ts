import { join } from "node:path";
import type { Usage } from "../../../contract/events.ts";
import { readOptional } from "./optional-file.ts";
import type { PriceTable } from "./price-file.ts";
import builtin from "./prices.json" with { type: "json" };

export const builtinPrices: PriceTable = builtin;

/** The built-in prices, and `$COX_HOME/prices.json` over them, model by model. */
export async function loadPrices(home: string): Promise<PriceTable> {
  const text = readOptional(join(home, "prices.json"));
  if (text === undefined) return builtinPrices;
  const { parsePrices } = await import("./price-file.ts");
  return { ...builtinPrices, ...parsePrices(text) };
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
