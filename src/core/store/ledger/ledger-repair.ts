import { lstatSync, renameSync } from "node:fs";
import type { LedgerRecord, RunInfo } from "../../../contract/runs/run.ts";
import { plural } from "../../../contract/words/figures.ts";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { diskError } from "../../../lib/files/disk-error.ts";
import type { Home } from "../home.ts";
import { isClaimed } from "../runs/claims.ts";
import { readRunInfo } from "../runs/run-info.ts";
import {
  appendLedger,
  endRecord,
  ledgerBackward,
  ledgerNotice,
  startRecord,
  storedRuns,
  whyNoLedger,
} from "./ledger.ts";

/** What is wrong with the list of runs, in words; `undefined` when it can be believed. */
export function ledgerTrouble(home: Home): string | undefined {
  const why = whyNoLedger(home);
  if (why === "") return undefined;
  if (why !== undefined) return `${home.ledger}: ${why}`;
  const known = new Set<string>();
  for (const { value } of ledgerBackward(home)) if (value.type === "start") known.add(value.run_id);
  const unknown = storedRuns(home).filter(({ runId }) => !known.has(runId) && !isClaimed(home, runId));
  return (
    ledgerNotice(home) ?? (unknown.length === 0 ? undefined : `${plural(unknown.length, "run")} not in ${home.ledger}`)
  );
}

export interface Repaired {
  runs: number;
  /** Where the old one is; `undefined` when there was none. */
  kept: string | undefined;
  /** Directories without a record that can be read. */
  unreadable: string[];
}

/**
 * The list of runs, made anew from their directories. What only the old one knew, the titles and which deletions were cut off,
 * is taken from there. Hosts go on meanwhile: what one of them writes while there is no list stands in its run's directory, so
 * these are read again at the end.
 */
export function repairLedger(home: Home, now: number): Repaired {
  const old = whyNoLedger(home) === undefined ? [...ledgerBackward(home)].map(({ value }) => value) : [];
  const kept = moveAway(home, now);
  const { infos, unreadable } = readRuns(home);
  const records = recordsFor(infos, old);
  writeFileAtomic(home.ledger, records.map((record) => `\n${JSON.stringify(record)}\n`).join(""));
  const ended = new Set(records.flatMap((record) => (record.type === "end" ? [record.run_id] : [])));
  for (const info of readRuns(home).infos) {
    if (info.status !== "running" && !ended.has(info.run_id)) appendLedger(home, endRecord(info));
  }
  return { runs: infos.length, kept, unreadable };
}

/** Starts and ends in the order they came in. */
export function recordsFor(infos: readonly RunInfo[], old: readonly LedgerRecord[]): LedgerRecord[] {
  const titles = new Map(old.flatMap((record) => (record.type === "start" ? [[record.run_id, record.title]] : [])));
  const here = new Set(infos.map(({ run_id }) => run_id));
  const records = infos.flatMap((info): LedgerRecord[] => [
    startRecord(info, titles.get(info.run_id) ?? ""),
    ...(info.status === "running" ? [] : [endRecord(info)]),
  ]);
  const gone = old.filter((record) => record.type === "gone" && here.has(record.run_id));
  return [...records, ...gone].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function readRuns(home: Home): { infos: RunInfo[]; unreadable: string[] } {
  const infos: RunInfo[] = [];
  const unreadable: string[] = [];
  for (const { runId, paths } of storedRuns(home)) {
    const info = infoIn(paths.info);
    if (info?.run_id === runId && !Number.isNaN(Date.parse(info.start_time))) infos.push(info);
    else unreadable.push(paths.dir);
  }
  return { infos, unreadable };
}

function infoIn(path: string): RunInfo | undefined {
  try {
    return readRunInfo(path);
  } catch {
    return undefined; // said to the person as unreadable
  }
}

function moveAway(home: Home, now: number): string | undefined {
  const kept = `${home.ledger}.before-${new Date(now).toISOString().replace(/\D/g, "")}`;
  try {
    if (lstatSync(home.ledger, { throwIfNoEntry: false }) === undefined) return undefined;
    renameSync(home.ledger, kept);
    return kept;
  } catch (error) {
    throw diskError("move the old list of runs away", home.ledger, error);
  }
}
