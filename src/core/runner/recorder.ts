import type { AgentEvent, RecordedEvent } from "../../contract/events.ts";
import { nothingOpen, type OpenItems, track } from "../../contract/sessions/open-items.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Blobs } from "../store/blobs.ts";
import type { EventLog } from "../store/events/event-log.ts";

export type Watcher = (events: readonly RecordedEvent[]) => void;

/**
 * The only way into a run's log: number, time, append, and only then tell those who watch. What arrives within one turn of
 * the loop is written at once; `flush` makes sure of it before anything is acknowledged.
 */
export class Recorder {
  readonly #log: EventLog;
  readonly #blobs: Blobs;
  readonly #clock: Clock;
  readonly #watchers = new Set<Watcher>();
  readonly #onFailure: (error: unknown) => void;
  #waiting: AgentEvent[] = [];
  #scheduled = false;
  #open: OpenItems = nothingOpen;
  #sessionId: string | undefined;

  constructor(log: EventLog, blobs: Blobs, clock: Clock, onFailure: (error: unknown) => void) {
    this.#log = log;
    this.#blobs = blobs;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** What the log has begun and not ended. */
  get open(): OpenItems {
    return this.#open;
  }

  record(event: AgentEvent): void {
    this.#open = track(this.#open, event);
    this.#waiting.push(event);
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(() => {
      try {
        this.flush();
      } catch (error) {
        this.#onFailure(error);
      }
    });
  }

  flush(): void {
    this.#scheduled = false;
    if (this.#waiting.length === 0) return;
    const events = this.#waiting.map((event) => this.#blobs.slim(event));
    const at = new Date(this.#clock.now()).toISOString();
    const sessions = events.map((event) => this.#sessionBeside(event));
    const first = this.#log.append(events, at, sessions);
    this.#waiting = [];
    if (this.#watchers.size === 0) return;
    const recorded = events.map((event, i) => ({ seq: first + i, at, ...event, ...inSession(sessions[i]) }));
    for (const watcher of this.#watchers) watcher(recorded);
  }

  /** Whoever reads from the middle, or of several runs at once, sees of each event which conversation it belongs to. */
  #sessionBeside(event: AgentEvent): string | undefined {
    if (!("sessionId" in event)) return this.#sessionId;
    this.#sessionId = event.sessionId;
    return undefined;
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  close(): void {
    this.flush();
    this.#log.close();
  }
}

const inSession = (sessionId: string | undefined) => (sessionId === undefined ? undefined : { sessionId });
