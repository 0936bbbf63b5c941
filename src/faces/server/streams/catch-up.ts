import { closeSync, fstatSync } from "node:fs";
import type { LedgerRecord } from "../../../contract/runs/run.ts";
import { BusDecoder } from "../../../core/store/bus/bus-decoder.ts";
import { decodeFile, messagesBackward } from "../../../core/store/bus/bus-reader.ts";
import { isClosedLine, lastEventIn, offsetAfter } from "../../../core/store/events/event-bytes.ts";
import { ledgerJournal } from "../../../core/store/ledger/ledger-record.ts";
import type { JournalRecord } from "../../../lib/files/journal-line.ts";
import { lineSlices, openRegularFile } from "../../../lib/files/regular-file.ts";
import { frameMessages, NAMED_MS } from "./buses.ts";
import type { StreamClient } from "./client.ts";
import { encodeCursor, type Position } from "./cursor.ts";
import { CUT_OFF, type Frames, frameControl, frameEvents, frameJson, withCursor } from "./frames.ts";
import type { ScopeFeed } from "./scope-feed.ts";

/**
 * Brings one client from where it was to the present, from the files and at its own pace, and hands it to the feed: when it has
 * come to the very place where the feed is, between two turns of the loop. Its own position is the cursor of each batch, so a
 * client that is cut off in the middle goes on from there.
 */
export async function catchUp(
  client: StreamClient,
  feed: ScopeFeed,
  from: Position,
  types: ReadonlySet<string> | undefined,
): Promise<void> {
  const reader = new Reader(client, feed, from, types);
  try {
    do {
      feed.poll();
      await reader.pass();
      if (feed.failed) client.reset(CUT_OFF);
      if (client.over) return;
    } while (!reader.isPresent());
  } finally {
    reader.close();
  }
  feed.flush(); // what waits there to be sent was in the files already, and so with this client
  client.send(frameControl("live", encodeCursor(feed.position())));
  feed.add(client, types);
}

interface OpenLog {
  fd: number;
  offset: number;
}

class Reader {
  readonly #client: StreamClient;
  readonly #feed: ScopeFeed;
  readonly #types: ReadonlySet<string> | undefined;
  readonly #since: number;
  readonly #runs: Map<string, number>;
  readonly #buses: Map<string, number>;
  readonly #logs = new Map<string, OpenLog>();
  #ledger: number;
  /** The part of the cursor that is about buses; changes when all of them have been read. */
  #named: Pick<Position, "at" | "buses">;

  constructor(client: StreamClient, feed: ScopeFeed, from: Position, types: ReadonlySet<string> | undefined) {
    this.#client = client;
    this.#feed = feed;
    this.#types = types;
    this.#since = from.at - NAMED_MS / 2;
    this.#named = { at: from.at, buses: new Map(from.buses) };
    this.#ledger = from.ledger;
    this.#runs = new Map(from.runs);
    this.#buses = new Map(from.buses);
  }

  async pass(): Promise<void> {
    for (const runId of [...this.#runs.keys()]) await this.#run(runId);
    await this.#ledgerRecords();
    await this.#allBuses();
  }

  /** Whether nothing is left between this client and the feed. Asked without a pause after the last pass. */
  isPresent(): boolean {
    const { ledger, liveRuns, buses } = this.#feed;
    if (this.#ledger !== ledger.offset) return false;
    for (const [runId, { tail }] of liveRuns) {
      // One that it neither reads nor has yet to read is behind it: so its cursor says.
      const offset = this.#logs.get(runId)?.offset ?? (this.#runs.has(runId) ? 0 : tail.offset);
      if (offset !== tail.offset) return false;
    }
    for (const [key, end] of buses.offsets()) if (this.#buses.get(key) !== end) return false;
    return true;
  }

  close(): void {
    for (const { fd } of this.#logs.values()) closeSync(fd);
    this.#logs.clear();
  }

  async #run(runId: string): Promise<void> {
    const live = this.#feed.liveRuns.get(runId);
    const path = live?.eventsPath ?? this.#feed.eventsPathOf(runId);
    const log = path === undefined ? undefined : this.#open(runId, path);
    if (log === undefined) {
      if (live === undefined) this.#runs.delete(runId); // deleted since
      return;
    }
    const end = live?.tail.offset ?? fstatSync(log.fd).size;
    let closed = false;
    for (const lines of lineSlices(log.fd, log.offset, end)) {
      log.offset += lines.length;
      const last = lastEventIn(lines);
      if (last !== undefined) {
        this.#runs.set(runId, last.seq);
        closed = isClosedLine(lines, last.from, last.to);
      }
      if (closed) this.#done(runId);
      await this.#send(frameEvents(lines, { event: runId, types: this.#types }));
      if (this.#client.over) return;
    }
    // Not live, and read to its end: there will be no more.
    if (!closed && !this.#feed.liveRuns.has(runId) && log.offset >= end) this.#done(runId);
  }

  #done(runId: string): void {
    this.#runs.delete(runId);
    const log = this.#logs.get(runId);
    this.#logs.delete(runId);
    if (log !== undefined) closeSync(log.fd);
  }

  #open(runId: string, path: string): OpenLog | undefined {
    const known = this.#logs.get(runId);
    if (known !== undefined) return known;
    const file = openRegularFile(path);
    if (file === undefined) return undefined;
    const log = { fd: file.fd, offset: offsetAfter(file.fd, file.size, this.#runs.get(runId) ?? 0) };
    this.#logs.set(runId, log);
    return log;
  }

  async #ledgerRecords(): Promise<void> {
    const file = openRegularFile(this.#feed.ledgerPath);
    if (file === undefined) return;
    try {
      for (const lines of lineSlices(file.fd, this.#ledger, this.#feed.ledger.offset)) {
        const base = this.#ledger;
        for (const found of ledgerJournal.parse(lines).records) {
          await this.#ledgerRecord(found, lines.toString("utf8", found.offset, found.end), base);
          if (this.#client.over) return;
        }
        this.#ledger = base + lines.length;
      }
    } finally {
      closeSync(file.fd);
    }
  }

  async #ledgerRecord(found: JournalRecord<LedgerRecord>, json: string, base: number): Promise<void> {
    const { value: record, end } = found;
    this.#ledger = base + end + 1;
    if (!this.#feed.has(record.run_id)) return;
    const begins = record.type === "start" && !this.#runs.has(record.run_id);
    // Before the cursor says that we know of it.
    if (begins) this.#runs.set(record.run_id, 0);
    await this.#send(frameJson("ledger", json));
    if (begins) await this.#run(record.run_id);
  }

  /** One batch: how far a client has come with thousands of them can be said only when it is through with all. */
  async #allBuses(): Promise<void> {
    let last: Frames | undefined;
    for (const [key, end] of this.#feed.buses.offsets()) {
      for (const frames of this.#bus(key, end)) {
        if (last !== undefined) await this.#client.replay(last);
        if (this.#client.over) return;
        last = frames;
      }
    }
    const { at, buses } = this.#feed.position();
    const named = [...buses.keys()].map((key): [string, number] => [key, this.#buses.get(key) ?? 0]);
    this.#named = { at, buses: new Map(named) };
    if (last !== undefined) await this.#send(last);
  }

  *#bus(key: string, end: number): Generator<Frames> {
    const path = this.#feed.buses.pathOf(key);
    const from = this.#buses.get(key) ?? firstSince(path, end, this.#since);
    const [project = "", task] = key.split("/");
    this.#buses.set(key, end);
    if (from >= end) return;
    const decoder = new BusDecoder(from);
    for (const messages of decodeFile(path, from, decoder)) {
      const wanted = messages.filter(({ cursor }) => Number(cursor) <= end);
      if (wanted.length > 0) yield frameMessages({ project, task }, wanted);
      if (Number(decoder.cursor) >= end) return;
    }
  }

  async #send(frames: Frames): Promise<void> {
    if (frames.count === 0) return;
    const cursor = encodeCursor({ ...this.#named, ledger: this.#ledger, runs: this.#runs });
    await this.#client.replay(withCursor([frames], cursor));
  }
}

/** Where the messages since then begin. Most buses slept, and are not read at all. */
function firstSince(path: string, end: number, since: number): number {
  if (since <= 0) return 0;
  const file = openRegularFile(path);
  if (file === undefined) return end;
  closeSync(file.fd);
  if (file.mtimeMs < since) return end;
  let first = end;
  for (const { message, offset } of messagesBackward(path)) {
    if (Date.parse(message.time) < since) break;
    first = Math.min(first, offset);
  }
  return first;
}
