import type { figureRoutes } from "../../../contract/api/settings.ts";
import type { RunSummary } from "../../../contract/runs/run.ts";
import { runsBackward } from "../../../core/store/ledger/ledger.ts";
import type { Handlers } from "../api/handlers.ts";
import type { ServerPorts } from "../ports.ts";

const DAY_MS = 24 * 60 * 60_000;

export function figureHandlers({ home, clock }: ServerPorts): Handlers<keyof typeof figureRoutes> {
  return {
    "GET /stats": ({ query: { days } }) => {
      const since = new Date(clock.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
      return { rows: rowsOf(runsSince(runsBackward(home), since)), since };
    },
  };
}

/** Newest first, so whoever asks for a month doesn't read the years before it. */
function* runsSince(runs: Iterable<RunSummary>, since: string): Generator<RunSummary> {
  for (const run of runs) {
    if (run.at < since) return;
    yield run;
  }
}

type Row = {
  day: string;
  agent: string;
  project: string;
  runs: number;
  failed: number;
  cost_usd: number;
  tokens: number;
  duration_s: number;
};

export function rowsOf(runs: Iterable<RunSummary>): Row[] {
  const rows = new Map<string, Row>();
  for (const { at, agent, project, end } of runs) {
    const day = at.slice(0, 10);
    const key = `${day} ${agent} ${project}`;
    const row = rows.get(key) ?? { day, agent, project, runs: 0, failed: 0, cost_usd: 0, tokens: 0, duration_s: 0 };
    row.runs += 1;
    if (end?.status === "failed") row.failed += 1;
    row.cost_usd += end?.cost_usd ?? 0;
    row.tokens += end?.tokens ?? 0;
    if (end !== undefined) row.duration_s += Math.max(0, (Date.parse(end.at) - Date.parse(at)) / 1000);
    rows.set(key, row);
  }
  return [...rows.values()];
}
