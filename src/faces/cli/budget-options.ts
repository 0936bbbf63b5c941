import { AppError } from "../../contract/errors.ts";
import type { BudgetLimits } from "../../contract/runs/budget.ts";
import type { OptionSpec } from "../../lib/command/command.ts";
import { parseDuration } from "../../lib/command/duration.ts";

export const budgetOptions = {
  "max-cost": { value: "USD", help: "stop when this much is spent" },
  "max-tokens": { value: "N", help: "stop when this many tokens are used" },
  "max-turns": { value: "N", help: "stop after this many turns" },
} as const satisfies Record<string, OptionSpec>;

export const timeOption = { "max-time": { value: "TIME", help: "stop after this long in all" } } as const;

type BudgetWords = { readonly [K in keyof typeof budgetOptions | keyof typeof timeOption]?: string };

/** `undefined` when nothing is limited. */
export function limitsOf(values: BudgetWords): BudgetLimits | undefined {
  const time = values["max-time"];
  const limits: BudgetLimits = {
    maxCostUsd: amount("--max-cost", values["max-cost"]),
    maxTokens: count("--max-tokens", values["max-tokens"]),
    maxTurns: count("--max-turns", values["max-turns"]),
    maxTimeMs: time === undefined ? undefined : parseDuration("--max-time", time),
  };
  return Object.values(limits).some((limit) => limit !== undefined) ? limits : undefined;
}

function amount(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const usd = Number(text.replace(/^\$/, ""));
  if (text.trim() !== "" && Number.isFinite(usd) && usd > 0) return usd;
  throw new AppError("usage.invalid", `${name} ${JSON.stringify(text)}: not an amount of dollars above 0`);
}

export function count(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() !== "" && Number.isInteger(number) && number > 0) return number;
  throw new AppError("usage.invalid", `${name} ${JSON.stringify(text)}: not a whole number above 0`);
}
