import type { Result } from "../../../src/contract/api/index.ts";

export type CostRow = Result<"GET /stats">["rows"][number];
export type Measure = "cost_usd" | "tokens" | "runs";

export interface Bar {
  day: string;
  /** From the bottom up, in the order of the series. */
  parts: number[];
  total: number;
}

/** More than this many colours nobody tells apart; the rest is one. */
const SERIES = 5;

/** Bars per day, split by agent or project, days without anything included. */
export function bars(rows: readonly CostRow[], days: readonly string[], by: "agent" | "project", measure: Measure) {
  const totals = new Map<string, number>();
  for (const row of rows) totals.set(row[by], (totals.get(row[by]) ?? 0) + row[measure]);
  const named = [...totals].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const series = named.length > SERIES ? [...named.slice(0, SERIES), "others"] : named;
  const index = new Map(series.map((name, i) => [name, i]));
  const byDay = new Map<string, number[]>(days.map((day) => [day, series.map(() => 0)]));
  for (const row of rows) {
    const parts = byDay.get(row.day);
    const i = index.get(row[by]) ?? series.length - 1;
    if (parts !== undefined) parts[i] = (parts[i] ?? 0) + row[measure];
  }
  const list: Bar[] = [...byDay].map(([day, parts]) => ({
    day,
    parts,
    total: parts.reduce((sum, part) => sum + part, 0),
  }));
  return {
    series,
    totals: series.map((_, i) => list.reduce((sum, { parts }) => sum + (parts[i] ?? 0), 0)),
    bars: list,
    most: Math.max(...list.map(({ total }) => total), 0),
  };
}

/** The last days up to today, as the server names them (UTC). */
export function lastDays(count: number, now: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    new Date(now - (count - 1 - i) * 86_400_000).toISOString().slice(0, 10),
  );
}
