import type { Usage } from "../../contract/events.ts";
import type { PriceTable } from "../../core/agents/registry/price-file.ts";
import { estimateCost } from "../../core/agents/registry/prices.ts";

/** What an agent's stream says about its work, as the output lines spell it. */
export interface Figures {
  inputTokens?: string;
  outputTokens?: string;
  costUsd?: string;
  /** The final words. */
  response?: string;
  /** Why the work failed, in the agent's words. */
  failure?: string;
  /** The agent says itself that this was no normal end, whatever it exits with. */
  abnormal: boolean;
}

/** What a meter knows beside the stream. */
export interface MeterContext {
  /** The model asked for; some streams don't name it. */
  model: string | undefined;
  /** The model of a conversation that doesn't say it, by its id. */
  modelOf?: (conversation: string) => string | undefined;
  prices: PriceTable;
}

/** Reads one agent's stream, message by message; keeps totals, never the stream. */
export interface Meter {
  take(message: Readonly<Record<string, unknown>>, raw: string): void;
  read(): Figures;
}

/** Of what was used at each model; undefined when one of them has no price, because half a cost is a wrong one. */
export function costOf(uses: readonly Usage[], prices: PriceTable): string | undefined {
  let total = 0;
  for (const use of uses) {
    const cost = estimateCost(use, prices);
    if (cost === undefined) return undefined;
    total += cost;
  }
  return uses.length === 0 ? undefined : dollars(total);
}

/** Without an exponent and without a tail of binary noise: readers take it for a Kubernetes quantity. */
export function dollars(amount: number): string {
  return amount.toFixed(9).replace(/\.?0+$/, "");
}

/**
 * The number as the agent wrote it: `0.0500` stays `0.0500`, and a count beyond 2^53 keeps its digits. Parsed JSON has
 * forgotten the spelling, so it is looked up in the line; the value tells which of several fields of that name is meant.
 */
export function spelled(raw: string, key: string, value: unknown): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  const spellings = raw.matchAll(new RegExp(`"${key}"\\s*:\\s*(-?\\d[\\d.eE+-]*)`, "g"));
  return [...spellings].map((match) => match[1]).findLast((text) => Number(text) === value) ?? String(value);
}
