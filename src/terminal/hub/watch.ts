import type WebSocket from "ws";
import type { Clock } from "../../lib/base/clock.ts";
import type { Log } from "../../lib/base/log.ts";
import { socketText } from "../../lib/http/socket-text.ts";
import type { Registry } from "./registry.ts";
import type { Cached, HubSession } from "./session.ts";
import { socketTo } from "./socket-to.ts";
import { fetchFrom, isHealthy } from "./upstream.ts";

export interface WatchTimes {
  screenMs: number;
  statusMs: number;
  healthMs: number;
  /** So many failed checks, and a session is gone. */
  failures: number;
}

export const defaultTimes: WatchTimes = { screenMs: 1000, statusMs: 2000, healthMs: 10_000, failures: 3 };

/** What a host says of itself as it happens: `transition`, `exit`. */
export type Heard = (session: HubSession, message: Readonly<Record<string, unknown>>) => void;

/** Looks after every registered session: whether it lives, what it shows, what state it is in. */
export function watchSessions(
  registry: Registry,
  { clock, log, times, heard }: { clock: Clock; log: Log; times: WatchTimes; heard: Heard },
): () => void {
  const watched = new Map<string, AbortController>();

  const begin = (session: HubSession) => {
    const ending = new AbortController();
    watched.set(session.id, ending);
    const { signal } = ending;
    const every = (ms: number, look: () => Promise<void>) => void repeat(clock, ms, look, signal, log);
    every(times.healthMs, () => checkHealth(registry, session, times, signal, log));
    every(times.screenMs, async () => {
      session.screen = (await cached(session, "screen", clock, signal)) ?? session.screen;
    });
    every(times.statusMs, async () => {
      session.status = (await cached(session, "status", clock, signal)) ?? session.status;
      const agent = await fetchFrom(session, "agent", signal);
      if (typeof agent?.state === "string") session.state = agent.state;
    });
    void follow(session, clock, heard, signal);
  };
  const end = (id: string) => {
    watched.get(id)?.abort();
    watched.delete(id);
  };
  const stop = registry.listen(({ event, session }) => {
    end(session.id);
    if (event !== "session:offline") begin(session);
  });
  for (const session of registry.sessions) begin(session);
  return () => {
    stop();
    for (const id of [...watched.keys()]) end(id);
  };
}

/** Nobody waits for it, so what fails (a disk that is full, say) is said and tried again. */
async function repeat(
  clock: Clock,
  ms: number,
  look: () => Promise<void>,
  signal: AbortSignal,
  log: Log,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await look();
    } catch (error) {
      if (!signal.aborted) log.error("looking after a session failed", { error });
    }
    await clock.sleep(ms, signal);
  }
}

async function checkHealth(
  registry: Registry,
  session: HubSession,
  { failures }: WatchTimes,
  signal: AbortSignal,
  log: Log,
): Promise<void> {
  if (await isHealthy(session.url, signal)) {
    session.health_failures = 0;
    return;
  }
  if (signal.aborted) return;
  session.health_failures += 1;
  if (session.health_failures < failures) return;
  log.info("session is gone: it does not answer", { session: session.id });
  registry.remove(session.id);
}

async function cached(
  session: HubSession,
  path: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<Cached | undefined> {
  const value = await fetchFrom(session, path, signal);
  return value === undefined ? undefined : { value, fetched_at: clock.now() };
}

const RECONNECT_MS = 1000;

/** Its state changes as they happen; polling goes on beside it, so a socket that can't be opened costs only speed. */
async function follow(session: HubSession, clock: Clock, heard: Heard, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const socket = await socketTo(session, "subscribe=state");
    if (socket !== undefined) await untilClosed(socket, session, heard, signal);
    await clock.sleep(RECONNECT_MS, signal);
  }
}

function untilClosed(socket: WebSocket, session: HubSession, heard: Heard, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const leave = () => socket.terminate();
    signal.addEventListener("abort", leave);
    socket.on("message", (data) => {
      const message = parse(socketText(data));
      if (message?.event === "transition" && typeof message.next === "string") session.state = message.next;
      if (message?.event === "exit") session.state = "exited";
      if (message?.event === "transition" || message?.event === "exit") heard(session, message);
    });
    socket.on("close", () => {
      signal.removeEventListener("abort", leave);
      resolve();
    });
    if (signal.aborted) leave();
  });
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
