import { closeSync, readSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import type { LedgerRecord, RunSummary } from "../../../contract/runs/run.ts";
import { type Home, runFolder } from "../../../core/store/home.ts";
import { requireLedger } from "../../../core/store/ledger/ledger.ts";
import { ledgerJournal } from "../../../core/store/ledger/ledger-record.ts";
import type { FoundRun } from "../../../core/store/runs/find-run.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import { lineSlices, openRegularFile } from "../../../lib/files/regular-file.ts";

/** Where in the ledger a run's records are. */
interface Place {
  project: string;
  start: number;
  startEnd: number;
  end?: number;
  endEnd?: number;
}

interface ProjectFigures {
  costUsd: number;
  cwd: string;
}

/**
 * Finds any run by its id without searching: the ledger is read once, then only what was added to it. What is kept of a run is
 * a few numbers; its records are read when they are asked for.
 */
export class RunIndex {
  readonly #home: Home;
  readonly #places = new Map<string, Place>();
  readonly #children = new Map<string, string[]>();
  readonly #next = new Map<string, string[]>();
  readonly #projects = new Map<string, ProjectFigures>();
  #read = 0;

  constructor(home: Home) {
    this.#home = home;
  }

  get(runId: string): FoundRun | undefined {
    this.#refresh();
    const place = this.#places.get(runId);
    const summary = place && this.#summary(place);
    if (summary === undefined) return undefined;
    return { ...summary, paths: runPaths(runFolder(this.#home, summary.project, summary.task, runId)) };
  }

  require(runId: string): FoundRun {
    const found = this.get(runId);
    if (found !== undefined) return found;
    throw new AppError("run.not_found", `run ${runId}: there is no such run`);
  }

  /** The runs that came after this one, oldest first: further attempts, and those that went on with its conversation. */
  nextOf(runId: string): RunSummary[] {
    this.#refresh();
    return (this.#next.get(runId) ?? []).flatMap((next) => this.get(next) ?? []);
  }

  /** The runs that this one started, oldest first. */
  childrenOf(runId: string): RunSummary[] {
    this.#refresh();
    return (this.#children.get(runId) ?? []).flatMap((child) => this.get(child) ?? []);
  }

  /** What its runs cost, also those that were deleted, and where the latest worked. */
  projects(): ReadonlyMap<string, Readonly<ProjectFigures>> {
    this.#refresh();
    return this.#projects;
  }

  #refresh(): void {
    const file = openRegularFile(this.#home.ledger);
    if (file === undefined) return requireLedger(this.#home);
    try {
      if (file.size < this.#read) this.#forget(); // somebody made it anew
      for (const lines of lineSlices(file.fd, this.#read, file.size)) {
        for (const { value, offset, end } of ledgerJournal.parse(lines, this.#read).records) {
          this.#add(value, offset, end);
        }
        this.#read += lines.length;
      }
    } finally {
      closeSync(file.fd);
    }
  }

  #add(record: LedgerRecord, start: number, end: number): void {
    const { run_id: runId } = record;
    if (record.type === "gone") this.#places.delete(runId);
    else if (record.type === "start") {
      const { project, cwd } = record;
      this.#places.set(runId, { project, start, startEnd: end });
      const before = this.#projects.get(project);
      // An imported run has no folder here.
      this.#projects.set(project, { costUsd: before?.costUsd ?? 0, cwd: cwd || (before?.cwd ?? "") });
      if (record.previous !== undefined) push(this.#next, record.previous, runId);
      if (record.parent !== undefined) push(this.#children, record.parent, runId);
    } else {
      const place = this.#places.get(runId);
      // Healers may race to write the end; the first one stands.
      if (place === undefined || place.end !== undefined) return;
      Object.assign(place, { end: start, endEnd: end });
      const figures = this.#projects.get(place.project);
      if (figures !== undefined) figures.costUsd += record.cost_usd;
    }
  }

  #forget(): void {
    this.#places.clear();
    this.#children.clear();
    this.#next.clear();
    this.#projects.clear();
    this.#read = 0;
  }

  #summary(place: Place): RunSummary | undefined {
    const start = this.#record(place.start, place.startEnd);
    if (start?.type !== "start") return undefined;
    const { type: _, ...rest } = start;
    if (place.end === undefined || place.endEnd === undefined) return rest;
    const end = this.#record(place.end, place.endEnd);
    if (end?.type !== "end") return rest;
    const { type: __, run_id: ___, ...ending } = end;
    return { ...rest, end: ending };
  }

  #record(from: number, to: number): LedgerRecord | undefined {
    const file = openRegularFile(this.#home.ledger);
    if (file === undefined) return undefined;
    try {
      const bytes = Buffer.alloc(to - from);
      readSync(file.fd, bytes, 0, bytes.length, from);
      return ledgerJournal.parseLine(bytes); // none where the file is another one now; the next look notices
    } finally {
      closeSync(file.fd);
    }
  }
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
