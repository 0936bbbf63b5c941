import { describe, expect, test } from "vitest";
import type { AgentEvent, Usage } from "../events.ts";
import { type BudgetLimits, checkBudget, nothingSpent, type Spent, spend, spentOf, startedSpending } from "./budget.ts";

const usage = (figures: Partial<Usage>): AgentEvent => ({
  type: "usage",
  turn: "t",
  usage: { input: 0, output: 0, ...figures },
});
const complete = (figures?: Partial<Usage>): AgentEvent => ({
  type: "complete",
  turn: "t",
  outcome: "completed",
  usage: figures && { input: 0, output: 0, ...figures },
});

const folds: Record<string, [AgentEvent[], Partial<Spent>]> = {
  nothing: [[], {}],
  "an open turn counts as far as it has told": [
    [usage({ input: 5, output: 2, costUsd: 0.1 })],
    { tokens: 7, costUsd: 0.1 },
  ],
  "what is told in a turn is so far, not in addition": [
    [usage({ input: 5, costUsd: 0.1 }), usage({ input: 9, costUsd: 0.3 })],
    { tokens: 9, costUsd: 0.3 },
  ],
  "an agent that tells cost and tokens by turns": [
    [usage({ input: 5 }), usage({ costUsd: 0.3 })],
    { tokens: 5, costUsd: 0.3 },
  ],
  "the end of a turn corrects it": [
    [usage({ input: 5, costUsd: 0.1 }), complete({ input: 4, output: 3, costUsd: 0.2 })],
    { tokens: 7, costUsd: 0.2, turns: 1 },
  ],
  "an end without figures keeps what was told": [
    [usage({ input: 5, costUsd: 0.1 }), complete()],
    { tokens: 5, costUsd: 0.1, turns: 1 },
  ],
  "an end without a price keeps the one that was told": [
    [usage({ costUsd: 0.1 }), complete({ input: 8 })],
    { tokens: 8, costUsd: 0.1, turns: 1 },
  ],
  "turns add up": [
    [
      complete({ input: 1, costUsd: 1 }),
      usage({ input: 2 }),
      complete({ input: 3, costUsd: 1 }),
      usage({ costUsd: 0.5 }),
    ],
    { tokens: 4, costUsd: 2.5, turns: 2 },
  ],
};

describe("spend", () => {
  test.each(Object.entries(folds))("%s", (_, [events, expected]) => {
    expect(spentOf(events.reduce(spend, startedSpending))).toEqual({ ...nothingSpent, ...expected });
  });
});

const checks: Record<string, [BudgetLimits, Partial<Spent>, string, string]> = {
  "no limit": [{}, { costUsd: 1e9, tokens: 1e9, turns: 1e9, timeMs: 1e12 }, "ok", ""],
  "far from it": [{ maxCostUsd: 1 }, { costUsd: 0.79 }, "ok", "$0.79 of $1.00 (--max-cost)"],
  near: [{ maxCostUsd: 1 }, { costUsd: 0.8 }, "near", "$0.80 of $1.00 (--max-cost)"],
  over: [{ maxCostUsd: 1 }, { costUsd: 1 }, "over", "$1.00 of $1.00 (--max-cost)"],
  "small amounts": [{ maxCostUsd: 0.01 }, { costUsd: 0.0085 }, "near", "$0.0085 of $0.0100 (--max-cost)"],
  tokens: [{ maxTokens: 1000 }, { tokens: 1200 }, "over", "1200 tokens of 1000 tokens (--max-tokens)"],
  turns: [{ maxTurns: 5 }, { turns: 4 }, "near", "4 turns of 5 turns (--max-turns)"],
  time: [{ maxTimeMs: 60_000 }, { timeMs: 61_000 }, "over", "61 s of 60 s (--max-time)"],
  "the worst of several": [
    { maxCostUsd: 1, maxTokens: 100, maxTurns: 10 },
    { costUsd: 0.9, tokens: 99, turns: 1 },
    "near",
    "99 tokens of 100 tokens (--max-tokens)",
  ],
};

describe("checkBudget", () => {
  test.each(Object.entries(checks))("%s", (_, [limits, spent, level, text]) => {
    expect(checkBudget(limits, { ...nothingSpent, ...spent })).toEqual({ level, text });
  });
});
