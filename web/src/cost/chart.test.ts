import { describe, expect, test } from "vitest";
import { bars, type CostRow, lastDays } from "./chart.ts";

const row = (day: string, agent: string, cost_usd: number): CostRow => ({
  day,
  agent,
  project: "p",
  runs: 1,
  failed: 0,
  cost_usd,
  tokens: 0,
  duration_s: 0,
});

describe("the cost chart", () => {
  test("has a bar for every day, the largest series first", () => {
    const days = ["2026-01-01", "2026-01-02"];
    const made = bars([row("2026-01-02", "a", 1), row("2026-01-02", "b", 3)], days, "agent", "cost_usd");
    expect(made.series).toEqual(["b", "a"]);
    expect(made.bars).toEqual([
      { day: "2026-01-01", parts: [0, 0], total: 0 },
      { day: "2026-01-02", parts: [3, 1], total: 4 },
    ]);
    expect(made.most).toBe(4);
  });

  test("puts the many into one", () => {
    const rows = Array.from({ length: 9 }, (_, i) => row("2026-01-01", `a${i}`, 9 - i));
    const made = bars(rows, ["2026-01-01"], "agent", "cost_usd");
    expect(made.series).toEqual(["a0", "a1", "a2", "a3", "a4", "others"]);
    expect(made.bars[0]?.parts.at(-1)).toBe(4 + 3 + 2 + 1);
  });

  test("days end today", () => {
    expect(lastDays(3, Date.parse("2026-03-01T12:00:00Z"))).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
  });
});
