import type { AgentEvent } from "../../../contract/events.ts";
import { addSpent, nothingSpent, type Spent, spend, spentOf, startedSpending } from "../../../contract/runs/budget.ts";
import type { LedgerEnd, LedgerStart, RunSummary } from "../../../contract/runs/run.ts";
import { eventsBackward } from "../events/event-reader.ts";
import { type Home, runFolder } from "../home.ts";
import { descendants } from "../runs/lineage.ts";
import { runPaths } from "../runs/run-directory.ts";
import { ledgerBackward } from "./ledger.ts";

/**
 * By all runs of a project that began since then, also those that were deleted: money isn't given back. The ledger knows what
 * the ended ones took, the logs of the others what they have taken so far. `besides` is a run that counts for itself.
 */
export function spentInProject(
  home: Home,
  { project, since, besides }: { project: string; since: string; besides?: string },
  now: number,
): Spent {
  const ends = new Map<string, LedgerEnd>();
  let spent = nothingSpent;
  for (const { value: record } of ledgerBackward(home)) {
    if (record.type === "end") ends.set(record.run_id, record);
    if (record.type !== "start") continue;
    if (record.at < since) break;
    if (record.project !== project || record.run_id === besides) continue;
    spent = addSpent(spent, spentBy(home, record, ends.get(record.run_id), now));
  }
  return spent;
}

/** By what a run has started, and what those have started. Turns and time are each run's own. */
export function spentByDescendants(home: Home, runId: string, now: number): Spent {
  let spent = nothingSpent;
  for (const run of descendants(home, runId)) {
    const { costUsd, tokens } = spentBy(home, run, run.end, now);
    spent = addSpent(spent, { costUsd, tokens, turns: 0, timeMs: 0 });
  }
  return spent;
}

type Began = Pick<LedgerStart | RunSummary, "run_id" | "project" | "task" | "at">;

function spentBy(home: Home, run: Began, end: RunSummary["end"], now: number): Spent {
  if (end === undefined) {
    const { events } = runPaths(runFolder(home, run.project, run.task, run.run_id));
    return { ...spentSoFar(events), timeMs: Math.max(0, now - Date.parse(run.at)) };
  }
  const { cost_usd: costUsd, tokens, turns } = end;
  return { costUsd, tokens, turns, timeMs: Math.max(0, Date.parse(end.at) - Date.parse(run.at)) };
}

function spentSoFar(path: string): Spent {
  const events: AgentEvent[] = [];
  for (const event of eventsBackward(path)) {
    if (event.type === "usage" || event.type === "complete") events.push(event);
  }
  return spentOf(events.toReversed().reduce(spend, startedSpending));
}
