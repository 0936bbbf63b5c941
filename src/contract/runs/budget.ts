import type { AgentEvent, Usage } from "../events.ts";
import { formatExactCost } from "../words/figures.ts";

/** What a run, a loop or a project may take. A limit that isn't there doesn't limit. */
export interface BudgetLimits {
  maxCostUsd?: number;
  /** Input and output, without what came from a cache. */
  maxTokens?: number;
  maxTurns?: number;
  maxTimeMs?: number;
}

export interface Spent {
  costUsd: number;
  tokens: number;
  turns: number;
  timeMs: number;
}

export const nothingSpent: Spent = { costUsd: 0, tokens: 0, turns: 0, timeMs: 0 };

export function addSpent(a: Spent, b: Spent): Spent {
  return {
    costUsd: a.costUsd + b.costUsd,
    tokens: a.tokens + b.tokens,
    turns: a.turns + b.turns,
    timeMs: a.timeMs + b.timeMs,
  };
}

/** The turns that ended, and the open one as far as its agent has told. */
export interface Spending {
  readonly ended: Spent;
  readonly open: { costUsd: number; tokens: number };
}

const nothingOpen = { costUsd: 0, tokens: 0 };
export const startedSpending: Spending = { ended: nothingSpent, open: nothingOpen };

/** Agents tell as they go what a turn has used, each in its own measure; what its end says counts where it says something. */
export function spend(state: Spending, event: AgentEvent): Spending {
  switch (event.type) {
    case "usage":
      return { ...state, open: larger(state.open, event.usage) };
    case "complete": {
      const { usage } = event;
      const costUsd = usage?.costUsd ?? state.open.costUsd;
      const tokens = usage === undefined ? state.open.tokens : usage.input + usage.output;
      return { ended: addSpent(state.ended, { costUsd, tokens, turns: 1, timeMs: 0 }), open: nothingOpen };
    }
    default:
      return state;
  }
}

export const spentOf = ({ ended, open }: Spending): Spent => ({
  ...ended,
  costUsd: ended.costUsd + open.costUsd,
  tokens: ended.tokens + open.tokens,
});

/** Some tell only the cost, some only the tokens, some both by turns: what was told stays told. */
function larger(open: Spending["open"], { input, output, costUsd = 0 }: Usage): Spending["open"] {
  return { costUsd: Math.max(open.costUsd, costUsd), tokens: Math.max(open.tokens, input + output) };
}

export type BudgetLevel = "ok" | "near" | "over";

export interface BudgetCheck {
  level: BudgetLevel;
  /** `$0.41 of $0.50 (--max-cost)`; of several limits the one that is nearest to its end. */
  text: string;
}

/** A warning comes while something can still be done about it. */
const NEAR = 0.8;

export function checkBudget(limits: BudgetLimits, spent: Spent): BudgetCheck {
  let worst = { share: 0, text: "" };
  for (const { limit, used, flag, format } of measures(limits, spent)) {
    if (limit === undefined) continue;
    const share = used / limit;
    if (share > worst.share) worst = { share, text: `${format(used)} of ${format(limit)} (${flag})` };
  }
  return { level: worst.share >= 1 ? "over" : worst.share >= NEAR ? "near" : "ok", text: worst.text };
}

function measures({ maxCostUsd, maxTokens, maxTurns, maxTimeMs }: BudgetLimits, spent: Spent) {
  return [
    { limit: maxCostUsd, used: spent.costUsd, flag: "--max-cost", format: formatExactCost },
    { limit: maxTokens, used: spent.tokens, flag: "--max-tokens", format: (count: number) => `${count} tokens` },
    { limit: maxTurns, used: spent.turns, flag: "--max-turns", format: (count: number) => `${count} turns` },
    { limit: maxTimeMs, used: spent.timeMs, flag: "--max-time", format: formatSeconds },
  ];
}

const formatSeconds = (ms: number) => `${Math.round(ms / 1000)} s`;

/** What a run or a loop was given on the command line. */
export interface GivenBudget {
  of: "this run" | "this loop";
  limits: BudgetLimits;
  /** By the loop's earlier attempts. */
  spent: Spent;
}
