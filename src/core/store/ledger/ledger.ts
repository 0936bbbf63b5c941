import { closeSync, existsSync, lstatSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import { endOf, startOf } from "../../../contract/runs/record.ts";
import type { LedgerEnd, LedgerRecord, LedgerStart, RunInfo, RunSummary } from "../../../contract/runs/run.ts";
import { plural } from "../../../contract/words/figures.ts";
import { appendRecord, type JournalRecord, openJournal } from "../../../lib/files/journal-line.ts";
import { listTasks, runIdsOf } from "../find-task.ts";
import { type Home, runFolder } from "../home.ts";
import { isClaimed } from "../runs/claims.ts";
import { type RunPaths, runPaths } from "../runs/run-directory.ts";
import { ledgerJournal } from "./ledger-record.ts";

/** `runs.jsonl`: one record when a run starts, one when it ends, one when it is deleted; the only index over all runs. */
export function appendLedger(home: Home, record: LedgerRecord): void {
  // To one that is missing only a start is worth adding: what else there is to say stands in the run's directory.
  if (!hasLedger(home, record.run_id) && record.type !== "start") return;
  const fd = openJournal(home.ledger);
  try {
    appendRecord(fd, JSON.stringify(record), home.ledger);
  } finally {
    closeSync(fd);
  }
}

/** Before a directory appears that only it will lead to. */
export function beginLedger(home: Home): void {
  requireLedger(home);
  closeSync(openJournal(home.ledger));
}

export const startRecord = (info: RunInfo, title: string): LedgerStart => ({ type: "start", ...startOf(info, title) });

export const endRecord = (info: RunInfo): LedgerEnd => ({ type: "end", run_id: info.run_id, ...endOf(info) });

/** Newest first, without reading further back than the caller looks: a page costs the same however long the history is. */
export function* runsBackward(home: Home): Generator<RunSummary> {
  for (const { run } of runsBefore(home)) yield run;
}

/**
 * The same from a place on, and with the place where each begins. Where they end after that place is not known here: their own
 * records say it.
 */
export function* runsBefore(home: Home, before?: number): Generator<{ run: RunSummary; offset: number }> {
  const ends = new Map<string, LedgerEnd>();
  const gone = new Set<string>();
  for (const { value: record, offset } of ledgerBackward(home, { before })) {
    // Healers may race to write the end; the first one in the file stands, and backwards that is the one seen last.
    if (record.type === "end") ends.set(record.run_id, record);
    else if (record.type === "gone") gone.add(record.run_id);
    else {
      if (!gone.delete(record.run_id)) yield { run: summary(record, ends.get(record.run_id)), offset };
      ends.delete(record.run_id);
    }
  }
}

/** All that were deleted: what is still on the disk of them is a leftover. */
export function goneRuns(home: Home): Set<string> {
  const gone = new Set<string>();
  for (const { value } of ledgerBackward(home)) if (value.type === "gone") gone.add(value.run_id);
  return gone;
}

/** What the ledger knows of one run. Its records are near the end when anybody asks this. */
export function recordsOf(home: Home, runId: string): { start: boolean; end: boolean } {
  let end = false;
  for (const { value } of ledgerBackward(home, { besides: runId })) {
    if (value.run_id !== runId) continue;
    if (value.type === "start") return { start: true, end };
    if (value.type === "end") end = true;
  }
  return { start: false, end };
}

function summary(record: LedgerStart, end: LedgerEnd | undefined): RunSummary {
  const { type: _, ...start } = record;
  if (end === undefined) return start;
  const { type: __, run_id: ___, ...rest } = end;
  return { ...start, end: rest };
}

/** All records, the newest first. `besides`: a run that may not be in it yet. */
export function* ledgerBackward(
  home: Home,
  { before, besides }: { before?: number | undefined; besides?: string } = {},
): Generator<JournalRecord<LedgerRecord>> {
  if (!hasLedger(home, besides)) return;
  const passedOver = passedOverIn.get(home) ?? new Set();
  passedOverIn.set(home, passedOver);
  yield* ledgerJournal.backward(home.ledger, { before, passOver: (offset) => passedOver.add(offset) });
}

/** By those who read through this object. */
const passedOverIn = new WeakMap<Home, Set<number>>();

/** What to tell a person whose list may lack something; `undefined` while every line that was read is one of ours. */
export function ledgerNotice(home: Home): string | undefined {
  const count = passedOverIn.get(home)?.size ?? 0;
  if (count === 0) return undefined;
  return `${home.ledger}: passed over ${plural(count, "damaged line")}; \`cox doctor --repair\` makes it anew from the runs' directories`;
}

/** Nobody has begun one where there are no runs. Else it was lost, or something else is in its place: both are for a person. */
export function requireLedger(home: Home, besides?: string): void {
  hasLedger(home, besides);
}

function hasLedger(home: Home, besides?: string): boolean {
  const why = whyNoLedger(home, besides);
  if (why === undefined) return true;
  if (why === "") return false;
  throw new AppError(
    "store.damaged",
    `${home.ledger}: ${why}; \`cox doctor --repair\` makes it anew from the runs' directories`,
  );
}

/** `undefined` when it is there; empty when there are no runs to be in it. */
export function whyNoLedger(home: Home, besides?: string): string | undefined {
  const facts = lstatSync(home.ledger, { throwIfNoEntry: false });
  if (facts?.isFile()) return undefined;
  if (facts !== undefined)
    return `${facts.isDirectory() ? "a folder" : facts.isSymbolicLink() ? "a link" : "no regular file"} is in the place of the list of runs`;
  const isOne = storedRuns(home).some(({ runId }) => runId !== besides && !isClaimed(home, runId));
  return isOne ? "the list of runs is missing, and there are runs" : "";
}

/** By their directories, in no order. Those that are just being made have a claim. */
export function storedRuns(home: Home): { runId: string; paths: RunPaths }[] {
  return listTasks(home).flatMap((ref) =>
    runIdsOf(home, ref)
      .map((runId) => ({ runId, paths: runPaths(runFolder(home, ref.project, ref.task, runId)) }))
      .filter(({ paths }) => existsSync(paths.info)),
  );
}
