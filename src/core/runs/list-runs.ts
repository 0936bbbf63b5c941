import { existsSync } from "node:fs";
import { AppError } from "../../contract/errors.ts";
import type { RunInfo, RunSummary } from "../../contract/runs/run.ts";
import { type Home, runFolder } from "../store/home.ts";
import { endRecord, runsBefore } from "../store/ledger/ledger.ts";
import { runPaths } from "../store/runs/run-directory.ts";
import { readRunInfo } from "../store/runs/run-info.ts";

export interface RunFilter {
  project?: string;
  task?: string;
  agent?: string;
  status?: RunInfo["status"];
  reason?: string;
  parent?: string;
  /** Started at or after. */
  since?: string;
  /** In the title. */
  text?: string;
}

export interface PageWishes {
  /** How many at most. */
  limit: number;
  /** `next` of the page before. */
  cursor?: string;
}

/** Where few of many fit, a page ends here, with less in it: nobody waits for all of history. */
const MAX_LOOKED_AT = 20_000;

/** A page of runs, newest first. It costs what is in it, however long the history is: the cursor is a place in the ledger. */
export function listRuns(home: Home, wishes: RunFilter & PageWishes): { items: RunSummary[]; next?: string } {
  const before = wishes.cursor === undefined ? undefined : placeOf(wishes.cursor);
  const items: RunSummary[] = [];
  let looked = 0;
  for (const { run, offset } of runsBefore(home, before)) {
    looked += 1;
    if (wishes.since !== undefined && run.at < wishes.since) return { items };
    const whole = before === undefined ? run : asItIsNow(home, run);
    if (whole !== undefined && fits(whole, wishes)) items.push(whole);
    if (items.length === wishes.limit || looked === MAX_LOOKED_AT)
      return offset > 1 ? { items, next: String(offset) } : { items };
  }
  return { items };
}

/** On later pages a run's end, or its deletion, may stand behind the place we began at. `undefined`: it was deleted. */
function asItIsNow(home: Home, run: RunSummary): RunSummary | undefined {
  const path = runPaths(runFolder(home, run.project, run.task, run.run_id)).info;
  if (run.end !== undefined) return existsSync(path) ? run : undefined;
  const info = readRunInfo(path);
  if (info === undefined) return undefined;
  return info.status === "running" ? run : { ...run, end: endIn(info) };
}

function endIn(info: RunInfo): RunSummary["end"] {
  const { type: _, run_id: __, ...end } = endRecord(info);
  return end;
}

function fits(run: RunSummary, { project, task, agent, status, reason, parent, text }: RunFilter): boolean {
  if (project !== undefined && run.project !== project) return false;
  if (task !== undefined && run.task !== task) return false;
  if (agent !== undefined && run.agent !== agent) return false;
  if (parent !== undefined && run.parent !== parent) return false;
  if (status !== undefined && (run.end?.status ?? "running") !== status) return false;
  if (reason !== undefined && run.end?.reason !== reason) return false;
  return text === undefined || run.title.toLowerCase().includes(text.toLowerCase());
}

function placeOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new AppError("usage.invalid", "cursor: not one of this list; begin again without it");
}
