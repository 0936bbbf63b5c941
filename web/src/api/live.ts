import type { BusMessage } from "../../../src/contract/bus.ts";
import type { RecordedEvent } from "../../../src/contract/events.ts";
import type { LedgerRecord } from "../../../src/contract/runs/run.ts";
import { followEvents } from "../../../src/lib/client/event-stream.ts";
import { createStore } from "../base/store.ts";
import { problemText, server } from "./client.ts";
import { inOneTab } from "./one-tab.ts";
import { letInAgain } from "./who.ts";

/** News of the server, as far as boards and inboxes care: no text of agents is in it. */
export type News =
  | { about: "run"; run: string; event: RecordedEvent }
  | { about: "ledger"; record: LedgerRecord }
  | { about: "bus"; message: BusMessage };

export type Connection = { state: "opening" | "open" } | { state: "lost"; since: number; why: string };
export const connection = createStore<Connection>({ state: "opening" });

const listeners = new Set<(news: readonly News[]) => void>();
const caughtUp = new Set<() => void>();

export function onNews(listener: (news: readonly News[]) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Called when the connection is there, or there again, for what can't be caught up by news alone. */
export function onConnect(listener: () => void): () => void {
  caughtUp.add(listener);
  return () => caughtUp.delete(listener);
}

const TYPES =
  "session_status,turn_started,complete,permission_request,question_request,request_resolved,tool_call,error,user_message";

type Told = { news: readonly News[] } | { connection: Connection };

/** One stream for all tabs of this browser: it opens no more than six connections to a server at once. */
export function startLive(): void {
  inOneTab<Told>("cox-live", {
    lead: follow,
    greet: () => ({ connection: connection.get() }),
    hear(told) {
      if ("connection" in told) {
        const before = connection.get().state;
        connection.set(told.connection);
        // Also the first time: what happened between asking for the state and hearing news is in neither.
        if (before !== "open" && told.connection.state === "open") for (const listener of [...caughtUp]) listener();
      } else for (const listener of [...listeners]) listener(told.news);
    },
  });
}

/** Until it is refused. Whoever was a stranger and is let in again goes on. */
async function follow(tell: (told: Told) => void, signal: AbortSignal): Promise<never> {
  for (;;) {
    await followOnce(tell, signal);
    await letInAgain();
  }
}

async function followOnce(tell: (told: Told) => void, signal: AbortSignal): Promise<void> {
  const onState = (state: "open" | "waiting", lost?: unknown) => {
    const now = connection.get();
    if (state === "open") tell({ connection: { state: "open" } });
    else if (now.state !== "lost") tell({ connection: lostNow(lost) });
  };
  try {
    const query = { from: "now", types: TYPES } as const;
    for await (const batch of followEvents(server, "GET /stream", { query }, { signal, onState })) {
      const news = batch.flatMap(({ event, data }) => newsIn(event, data));
      if (news.length > 0) tell({ news });
    }
  } catch (error) {
    tell({ connection: lostNow(error) });
  }
}

/** A stream that merely ended gives no reason. */
const lostNow = (error: unknown): Connection => ({
  state: "lost",
  since: Date.now(),
  why: error === undefined ? "" : problemText(error),
});

function newsIn(event: string, data: string): News[] {
  switch (event) {
    case "ledger":
      return [{ about: "ledger", record: JSON.parse(data) as LedgerRecord }];
    case "bus":
      return [{ about: "bus", message: JSON.parse(data) as BusMessage }];
    case "live":
    case "reset":
    case "end":
    case "message":
      return [];
    default:
      return [{ about: "run", run: event, event: JSON.parse(data) as RecordedEvent }];
  }
}
