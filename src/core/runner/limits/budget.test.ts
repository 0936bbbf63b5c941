import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import { type BudgetLimits, nothingSpent } from "../../../contract/runs/budget.ts";
import { type Budget, BudgetWatch } from "./budget.ts";

function watch(...budgets: [BudgetLimits, Partial<Budget>?][]) {
  const clock = new FakeClock();
  const said: string[] = [];
  const whole = budgets.map(
    ([limits, rest]): Budget => ({ of: "this run", limits, before: () => nothingSpent, ...rest }),
  );
  const watch = new BudgetWatch(whole, "r", clock, {
    tell: ({ code, text }) => said.push(`${code}: ${text}`),
    over: (cause) => said.push(cause.by === "limit" ? `stop for ${cause.reason}: ${cause.detail}` : cause.by),
  });
  return { watch, clock, said };
}

const cost = (costUsd: number): AgentEvent => ({ type: "usage", turn: "t", usage: { input: 0, output: 0, costUsd } });
const complete: AgentEvent = { type: "complete", turn: "t", outcome: "completed" };

describe("a budget", () => {
  test("is told of once when it is near, and once when it is over, at the event that says so", () => {
    const { watch: budget, said } = watch([{ maxCostUsd: 1 }]);
    const after = [0.5, 0.79, 0.8, 0.9, 1.1, 1.2].map((usd) => {
      budget.heard(cost(usd));
      return said.length;
    });
    expect(after).toEqual([0, 0, 1, 1, 3, 3]);
    const over = "this run has spent $1.10 of $1.00 (--max-cost): the budget is used up";
    expect(said).toEqual([
      "budget_near: this run has spent $0.80 of $1.00 (--max-cost)",
      `budget_over: ${over}`,
      `stop for budget: ${over}`,
    ]);
  });

  test("may be over before it was near", () => {
    const { watch: budget, said } = watch([{ maxTurns: 1 }]);
    budget.heard({ type: "turn_started", turn: "t" });
    budget.heard(complete);
    expect(said.map((line) => line.split(":")[0])).toEqual(["budget_over", "stop for budget"]);
  });

  test("counts what others spent of it", () => {
    const others = { costUsd: 0.9, tokens: 0, turns: 0, timeMs: 0 };
    const { watch: budget, said } = watch([{ maxCostUsd: 1 }, { of: "project web", before: () => others }]);
    budget.heard(cost(0.2));
    expect(said[0]).toBe("budget_over: project web has spent $1.10 of $1.00 (--max-cost): the budget is used up");
  });

  test("each of several counts for itself", () => {
    const { watch: budget, said } = watch([{ maxCostUsd: 1 }], [{ maxCostUsd: 1.1 }, { of: "project web" }]);
    budget.heard(cost(0.95));
    expect(said).toEqual([
      "budget_near: this run has spent $0.95 of $1.00 (--max-cost)",
      "budget_near: project web has spent $0.95 of $1.10 (--max-cost)",
    ]);
  });

  test("of time runs out without an event", () => {
    const others = { ...nothingSpent, timeMs: 60_000 };
    const { clock, said } = watch([{ maxTimeMs: 100_000 }, { of: "project web", before: () => others }]);
    clock.advance(19_999);
    expect(said).toEqual([]);
    clock.advance(1);
    expect(said).toEqual(["budget_near: project web has spent 80 s of 100 s (--max-time)"]);
    clock.advance(20_000);
    expect(said.at(-1)).toContain("stop for budget: project web has spent 100 s of 100 s");
  });

  test("of time runs out also when the timer comes a fraction of a millisecond before the other clock is there", () => {
    const { clock, said } = watch([{ maxTimeMs: 1000 }]);
    const exact = clock.monotonic;
    clock.monotonic = () => exact() - 0.4;
    clock.advance(1000);
    expect(said.at(-1)).toContain("stop for budget");
  });

  test("says nothing after the end", () => {
    const { watch: budget, clock, said } = watch([{ maxTimeMs: 1000 }]);
    budget.end();
    clock.advance(5000);
    expect(said).toEqual([]);
  });
});
