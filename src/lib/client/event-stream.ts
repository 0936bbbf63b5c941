import type { Api, ApiKey, Call } from "../../contract/api/index.ts";
import { AppError } from "../../contract/errors.ts";
import { backoffMs } from "../base/backoff.ts";
import { EventParser, type StreamEvent } from "./event-parser.ts";
import type { HttpClient } from "./http.ts";

export type { StreamEvent } from "./event-parser.ts";

/** The operations that answer with server-sent events. */
export type StreamKey = { [K in ApiKey]: Api[K]["result"] extends "events" ? K : never }[ApiKey];

export interface FollowOptions {
  signal?: AbortSignal;
  /** Go on after this; the `id` of the last event one has. */
  lastEventId?: string;
  /** `open`: connected; `waiting`: the connection was lost and will be made again. */
  onState?: (state: "open" | "waiting", lost?: unknown) => void;
  /** The server sends a heartbeat every 15 s; after this long without a byte the connection is taken for dead. */
  silenceMs?: number;
}

/**
 * The events of a stream, in batches as they come, each exactly once whatever happens to the connection: it is made again, from
 * the last id, also when the server says that we were too slow (`reset`) and ends it. A batch is handed out when its id has come,
 * because only from there can one go on. Ends when the server says that there will be no more (`end`), or when the signal aborts;
 * throws when the server refuses.
 */
export async function* followEvents<K extends StreamKey>(
  client: Pick<HttpClient, "open">,
  key: K,
  given: Call<K>,
  { signal = new AbortController().signal, lastEventId, onState, silenceMs = 45_000 }: FollowOptions = {},
): AsyncGenerator<StreamEvent[]> {
  let last = lastEventId;
  let failures = 0;
  while (!signal.aborted) {
    const connection = new AbortController();
    const watchdog = new Watchdog(silenceMs, () => connection.abort(new Error("the server fell silent")));
    let lost: unknown;
    try {
      const response = await client.open(key, given, {
        signal: AbortSignal.any([signal, connection.signal]),
        headers: { accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) },
      });
      onState?.("open");
      for await (const batch of batchesIn(response, watchdog)) {
        failures = 0;
        last = batch.at(-1)?.id ?? last;
        yield batch;
        if (batch.at(-1)?.event === "end") return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isFinal(error)) throw error;
      lost = error;
    } finally {
      watchdog.end();
      connection.abort();
    }
    if (signal.aborted) return;
    failures += 1;
    onState?.("waiting", lost);
    await pause(backoffMs(failures, { base: 200, factor: 2, cap: 3000 }, Math.random), signal);
  }
}

/** What is parsed, up to the last event that bears an id; the rest waits for the next one that does. */
async function* batchesIn(response: Response, watchdog: Watchdog): AsyncGenerator<StreamEvent[]> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  const parser = new EventParser();
  let held: StreamEvent[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      watchdog.heard();
      const events = parser.push(decoder.decode(value, { stream: true }));
      if (events.length === 0) continue;
      held = held.length === 0 ? events : [...held, ...events];
      const end = held.findLastIndex((event) => event.id !== undefined) + 1;
      if (end === 0) continue;
      const batch = held.slice(0, end);
      held = held.slice(end);
      yield batch;
    }
  } finally {
    reader.cancel().catch(() => {}); // it was cut off already
  }
}

/** A refusal stays one however often it is asked; being overrun or down doesn't. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  const status = Number(error.details.status ?? 500);
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

class Watchdog {
  readonly #ms: number;
  readonly #bite: () => void;
  #timer: ReturnType<typeof setTimeout>;

  constructor(ms: number, bite: () => void) {
    this.#ms = ms;
    this.#bite = bite;
    this.#timer = setTimeout(bite, ms);
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#bite, this.#ms);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
