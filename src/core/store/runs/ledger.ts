import { closeSync } from "node:fs";
import type { LedgerEnd, LedgerRecord, LedgerStart, RunInfo, RunSummary } from "../../../contract/runs/run.ts";
import { appendRecord, openJournal } from "../../../lib/files/journal-line.ts";
import type { Home } from "../home.ts";
import { isObject, Journal } from "../journal.ts";

/** What a newer version may add to it is passed over. */
export const ledgerJournal = new Journal(
  (value): value is LedgerRecord =>
    isObject(value) && typeof value.run_id === "string" && kinds.has(value.type) && typeof value.at === "string",
);

const kinds: ReadonlySet<unknown> = new Set<LedgerRecord["type"]>(["start", "end", "gone"]);

/** `runs.jsonl`: one record when a run starts, one when it ends, one when it is deleted; the only index over all runs. */
export function appendLedger(home: Home, record: LedgerRecord): void {
  const fd = openJournal(home.ledger);
  try {
    appendRecord(fd, JSON.stringify(record), home.ledger);
  } finally {
    closeSync(fd);
  }
}

export function startRecord(info: RunInfo, title: string): LedgerStart {
  return {
    type: "start",
    run_id: info.run_id,
    project: info.project_id,
    task: info.task_id,
    agent: info.agent,
    parent: info.parent_run_id || undefined,
    previous: info.previous_run_id || undefined,
    at: info.start_time,
    cwd: info.cwd,
    title,
  };
}

export function endRecord(info: RunInfo): LedgerEnd {
  return {
    type: "end",
    run_id: info.run_id,
    at: info.end_time,
    status: info.status === "completed" ? "completed" : "failed",
    reason: info.reason,
    exit_code: info.exit_code,
    cost_usd: info.cost_usd,
    tokens: info.input_tokens + info.output_tokens,
    turns: info.turns,
  };
}

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
  for (const { value: record, offset } of ledgerJournal.backward(home.ledger, { before })) {
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
  for (const { value } of ledgerJournal.backward(home.ledger)) if (value.type === "gone") gone.add(value.run_id);
  return gone;
}

/** What the ledger knows of one run. Its records are near the end when anybody asks this. */
export function recordsOf(home: Home, runId: string): { start: boolean; end: boolean } {
  let end = false;
  for (const { value } of ledgerJournal.backward(home.ledger)) {
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
