import { AppError } from "../../../contract/errors.ts";
import { eventsBackward } from "../../../core/store/events/event-reader.ts";
import { runIdsOf } from "../../../core/store/find-task.ts";
import type { Home } from "../../../core/store/home.ts";
import { isClaimed } from "../../../core/store/runs/claims.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Exchange } from "../../../lib/http/route.ts";
import type { RunIndex } from "../runs/run-index.ts";
import { catchUp } from "./catch-up.ts";
import { StreamClient } from "./client.ts";
import { beginning, decodeCursor, type Position } from "./cursor.ts";
import { followFile } from "./file-stream.ts";
import { JournalTail } from "./journal-tail.ts";
import { followRun, RunFeed } from "./run-feed.ts";
import { ScopeFeed, type SharedTail } from "./scope-feed.ts";

export interface StreamsOptions {
  home: Home;
  clock: Clock;
  runs: RunIndex;
  heartbeatMs?: number;
  maxClients?: number;
}

interface Shared<T> {
  value: T;
  users: number;
}

/**
 * Who watches what. Each live log is read once, however many look at it; what nobody looks at any more is not read. Nothing is
 * kept of what was sent: the files are the history.
 */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #clients = new Set<StreamClient>();
  readonly #tails = new Map<string, Shared<JournalTail>>();
  readonly #runs = new Map<string, Shared<{ feed: RunFeed; unshare(): void }>>();
  readonly #scopes = new Map<string, Shared<ScopeFeed>>();
  readonly #heart: NodeJS.Timeout;
  #sent = 0;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#heart = setInterval(() => this.#beat(), options.heartbeatMs ?? HEARTBEAT_MS);
    this.#heart.unref();
  }

  get clients(): number {
    return this.#clients.size;
  }

  /** Events, counted for each client that got them. */
  get sent(): number {
    return this.#sent;
  }

  /** A run's events, after this one. Returns when the client is served by what happens, not by this call. */
  async run(runId: string, after: number, types: ReadonlySet<string> | undefined, exchange: Exchange): Promise<void> {
    const { events } = this.#options.runs.require(runId).paths;
    if (after > 0) requireReached(events, after);
    const client = this.#open(exchange);
    const feed = this.#isLive(runId) ? this.#runFeed(runId, events, client) : undefined;
    await followRun(client, events, feed, { after, types });
  }

  async file(runId: string, path: string, from: number, exchange: Exchange): Promise<void> {
    this.#options.runs.require(runId);
    await followFile(this.#open(exchange), path, from, () => this.#isLive(runId));
  }

  async scope(
    scope: { project: string; task: string } | undefined,
    from: { cursor: string } | "start" | "now",
    types: ReadonlySet<string> | undefined,
    exchange: Exchange,
  ): Promise<void> {
    const position = typeof from === "object" ? decodeCursor(from.cursor) : undefined;
    const shared = this.#scopeFeed(scope);
    const feed = shared.value;
    const leave = () => release(this.#scopes, keyOf(scope), shared, (unused) => unused.close());
    let begin: Position;
    let client: StreamClient;
    try {
      begin = position ?? (from === "start" ? beginning : feed.present());
      feed.requireLedger(begin.ledger);
      client = this.#open(exchange);
    } catch (error) {
      leave();
      throw error;
    }
    client.onGone(leave);
    await catchUp(client, feed, begin, types);
  }

  close(): void {
    clearInterval(this.#heart);
    for (const client of this.#clients) client.end();
  }

  #isLive(runId: string): boolean {
    return isClaimed(this.#options.home, runId);
  }

  #open({ response, signal }: Exchange): StreamClient {
    if (this.#clients.size >= (this.#options.maxClients ?? MAX_CLIENTS)) {
      throw new AppError(
        "limit.exceeded",
        `stream: ${this.#clients.size} clients are connected, the most there may be`,
      );
    }
    const client = new StreamClient(response, signal, (events) => {
      this.#sent += events;
    });
    this.#clients.add(client);
    client.onGone(() => this.#clients.delete(client));
    return client;
  }

  #runFeed(runId: string, eventsPath: string, client: StreamClient): RunFeed {
    const shared = acquire(this.#runs, runId, () => {
      const { tail, release: unshare } = this.#share(runId, eventsPath);
      return { feed: new RunFeed(tail), unshare };
    });
    client.onGone(() => release(this.#runs, runId, shared, ({ unshare }) => unshare()));
    return shared.value.feed;
  }

  #share(runId: string, eventsPath: string): SharedTail {
    const shared = acquire(this.#tails, runId, () => new JournalTail(eventsPath, () => this.#isLive(runId)));
    return { tail: shared.value, release: () => release(this.#tails, runId, shared, (tail) => tail.release()) };
  }

  #scopeFeed(scope: { project: string; task: string } | undefined): Shared<ScopeFeed> {
    const { home, clock, runs } = this.#options;
    // Those who still hold one that failed let it go by themselves; nobody new joins it.
    if (this.#scopes.get(keyOf(scope))?.value.failed) this.#scopes.delete(keyOf(scope));
    return acquire(
      this.#scopes,
      keyOf(scope),
      () =>
        new ScopeFeed({
          home,
          clock,
          scope: scope ?? {},
          runs: scope && new Set(runIdsOf(home, scope)),
          share: (runId, eventsPath) => this.#share(runId, eventsPath),
          eventsPathOf: (runId) => runs.get(runId)?.paths.events,
        }),
    );
  }

  #beat(): void {
    for (const client of this.#clients) client.beat();
  }
}

const HEARTBEAT_MS = 15_000;
const MAX_CLIENTS = 512;

/** Events are on disk before anybody hears of them: whoever knows a later one comes from somewhere else. */
function requireReached(events: string, after: number): void {
  const [last] = eventsBackward(events);
  if (last !== undefined && last.seq >= after) return;
  throw new AppError("usage.invalid", `after ${after}: this run has not come so far; begin again without a last id`);
}

const keyOf = (scope: { project: string; task: string } | undefined) =>
  scope === undefined ? "" : `${scope.project}/${scope.task}`;

function acquire<T>(map: Map<string, Shared<T>>, key: string, make: () => T): Shared<T> {
  const known = map.get(key);
  if (known !== undefined) {
    known.users += 1;
    return known;
  }
  const shared = { value: make(), users: 1 };
  map.set(key, shared);
  return shared;
}

/** What one holds, not what stands under its name by now. */
function release<T>(map: Map<string, Shared<T>>, key: string, shared: Shared<T>, end: (value: T) => void): void {
  shared.users -= 1;
  if (shared.users > 0) return;
  if (map.get(key) === shared) map.delete(key);
  end(shared.value);
}
