import { closeSync, readSync } from "node:fs";
import type { Home } from "../../../core/store/home.ts";
import { ledgerJournal } from "../../../core/store/ledger/ledger-record.ts";
import { readClaims } from "../../../core/store/runs/claims.ts";
import { runPaths } from "../../../core/store/runs/run-directory.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import { isRefusal } from "../../../lib/files/disk-error.ts";
import { lineSlices, openRegularFile } from "../../../lib/files/regular-file.ts";
import { Buses, type Scope } from "./buses.ts";
import type { StreamClient } from "./client.ts";
import { encodeCursor, invalid, type Position } from "./cursor.ts";
import { CUT_OFF, type Frames, frameEvents, frameJson, withCursor } from "./frames.ts";
import { JournalTail } from "./journal-tail.ts";

/** A run's log, watched together with whoever else watches it. */
export interface SharedTail {
  tail: JournalTail;
  release(): void;
}

export interface ScopeFeedOptions {
  home: Home;
  clock: Clock;
  scope: Scope;
  /** The ids of the scope's runs so far; `undefined` for all there are. */
  runs: ReadonlySet<string> | undefined;
  share(runId: string, eventsPath: string): SharedTail;
  /** Of any run that the ledger knows. */
  eventsPathOf(runId: string): string | undefined;
}

interface LiveRun extends SharedTail {
  eventsPath: string;
  forget(): void;
}

/**
 * Everything that happens in a scope (a task, or all), as one stream: live runs, the ledger, the buses. New runs are noticed
 * through the ledger. What is new within a tick is made ready once, with one cursor, for all clients.
 */
export class ScopeFeed {
  readonly #options: ScopeFeedOptions;
  readonly #clients = new Map<string, { types: ReadonlySet<string> | undefined; clients: Set<StreamClient> }>();
  readonly #live = new Map<string, LiveRun>();
  /** Followed and closed since we look. */
  readonly #ended = new Set<string>();
  readonly #known: Set<string> | undefined;
  readonly ledger: JournalTail;
  readonly buses: Buses;
  /** Not sent yet. Lines of a run are framed when they are, for each choice of types. */
  #waiting: ({ runId: string; lines: Buffer } | { frames: Frames })[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushed = 0;
  #failed = false;

  constructor(options: ScopeFeedOptions) {
    const { home, clock, scope } = options;
    this.#options = options;
    this.#known = options.runs && new Set(options.runs);
    // The ledger first: a run that begins while the claims are read is found in either.
    this.ledger = new JournalTail(home.ledger, () => true);
    this.ledger.listen((lines) => this.#hearLedger(lines));
    let buses: Buses | undefined;
    try {
      buses = new Buses(home, scope, clock, (frames) => this.#wait({ frames }));
      this.buses = buses;
      this.#joinClaimed();
    } catch (error) {
      // Whoever asked is told; nothing of it stays behind.
      this.ledger.release();
      buses?.close();
      for (const run of this.#live.values()) run.forget();
      throw error;
    }
  }

  /** It missed something, and must not go on as if it had not: its clients begin again elsewhere. */
  get failed(): boolean {
    return this.#failed;
  }

  has(runId: string): boolean {
    return this.#known === undefined || this.#known.has(runId);
  }

  inScope({ project, task }: { project: string; task: string }): boolean {
    const { scope } = this.#options;
    return (scope.project ?? project) === project && (scope.task ?? task) === task;
  }

  get ledgerPath(): string {
    return this.#options.home.ledger;
  }

  eventsPathOf(runId: string): string | undefined {
    return this.#options.eventsPathOf(runId);
  }

  get liveRuns(): ReadonlyMap<string, { tail: JournalTail; eventsPath: string }> {
    return this.#live;
  }

  /** Where everything has been read to, once all that is there has been. */
  position(): Position {
    const at = this.#options.clock.now();
    const runs = new Map([...this.#live].map(([runId, { tail }]): [string, number] => [runId, tail.seq]));
    return { ledger: this.ledger.offset, at, runs, buses: this.buses.recent(at) };
  }

  present(): Position {
    this.poll();
    return this.position();
  }

  /** A cursor of another ledger is refused, so that nobody reads from the middle of a record. */
  requireLedger(offset: number): void {
    if (offset === 0) return;
    const file = openRegularFile(this.ledgerPath);
    try {
      const byte = Buffer.alloc(1);
      if (file !== undefined && readSync(file.fd, byte, 0, 1, offset - 1) === 1 && byte[0] === LF) return;
    } finally {
      if (file !== undefined) closeSync(file.fd);
    }
    throw invalid();
  }

  /** Reads all there is and sends it to those who are here. */
  poll(): void {
    // The ledger last: a run whose events are known is then known to have begun.
    for (const { tail } of [...this.#live.values()]) tail.poll();
    this.ledger.poll();
    this.flush();
  }

  add(client: StreamClient, types: ReadonlySet<string> | undefined): void {
    const key = types === undefined ? "" : [...types].sort().join();
    const group = this.#clients.get(key) ?? { types, clients: new Set() };
    this.#clients.set(key, group);
    group.clients.add(client);
    client.onGone(() => {
      group.clients.delete(client);
      if (group.clients.size === 0) this.#clients.delete(key);
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.ledger.release();
    this.buses.close();
    for (const run of this.#live.values()) run.forget();
    this.#live.clear();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#flushed = performance.now();
    const cursor = encodeCursor(this.position());
    for (const { types, clients } of this.#clients.values()) {
      const frames = waiting.map((one) =>
        "frames" in one ? one.frames : frameEvents(one.lines, { event: one.runId, types }),
      );
      const batch = withCursor(frames, cursor);
      for (const client of clients) client.send(batch);
    }
  }

  #wait(one: { runId: string; lines: Buffer } | { frames: Frames }): void {
    if (this.#clients.size === 0) return;
    this.#waiting.push(one);
    if (this.#timer !== undefined) return;
    // At once when it was quiet; else what comes within a frame of the screen goes together, under one cursor.
    const since = performance.now() - this.#flushed;
    this.#timer = setTimeout(() => this.flush(), since >= TICK_MS ? 0 : TICK_MS - since);
  }

  #joinClaimed(): void {
    for (const { runId, claim } of readClaims(this.#options.home)) {
      if (claim === undefined || !this.has(runId)) continue;
      const { events } = runPaths(claim.dir);
      this.#join(runId, events, this.#options.share(runId, events));
    }
  }

  #join(runId: string, eventsPath: string, shared: SharedTail): void {
    if (shared.tail.closed) return shared.release();
    const unlisten = shared.tail.listen((lines) => this.#hear(runId, lines));
    const forget = () => {
      unlisten();
      shared.release();
    };
    this.#live.set(runId, { ...shared, eventsPath, forget });
  }

  #hear(runId: string, lines: Buffer): void {
    const run = this.#live.get(runId);
    if (run === undefined) return;
    if (lines.length > 0) this.#wait({ runId, lines });
    if (!run.tail.closed) return;
    this.#live.delete(runId);
    this.#ended.add(runId);
    run.forget();
  }

  #hearLedger(lines: Buffer): void {
    try {
      this.#takeLedger(lines);
    } catch (error) {
      // A file that can't be opened, say: nobody waits for this who could be told.
      this.#fail();
      if (!isRefusal(error)) throw error;
    }
  }

  #takeLedger(lines: Buffer): void {
    for (const { value: record, offset, end } of ledgerJournal.parse(lines).records) {
      if (record.type === "start" && this.inScope(record)) {
        this.#known?.add(record.run_id);
        this.buses.add(record.project, record.task);
      }
      if (!this.has(record.run_id)) continue;
      this.#wait({ frames: frameJson("ledger", lines.toString("utf8", offset, end)) });
      const path = record.type === "start" ? this.eventsPathOf(record.run_id) : undefined;
      if (path !== undefined) this.#begin(record.run_id, path);
    }
  }

  #fail(): void {
    this.#failed = true;
    clearTimeout(this.#timer);
    this.#waiting = [];
    for (const { clients } of this.#clients.values()) for (const client of clients) client.reset(CUT_OFF);
  }

  /** A new run is told from its first event: also what was written before we knew of it. */
  #begin(runId: string, eventsPath: string): void {
    if (this.#live.has(runId) || this.#ended.has(runId)) return;
    const shared = this.#options.share(runId, eventsPath);
    const file = openRegularFile(eventsPath);
    if (file !== undefined) {
      for (const lines of lineSlices(file.fd, 0, shared.tail.offset)) this.#wait({ runId, lines: Buffer.from(lines) });
      closeSync(file.fd);
    }
    this.#join(runId, eventsPath, shared);
  }
}

const TICK_MS = 16;
const LF = 10;
