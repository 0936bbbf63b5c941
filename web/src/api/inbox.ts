import type { OpenRequestItem } from "../../../src/contract/api/values.ts";
import type { EventOf } from "../../../src/contract/events.ts";
import type { Reply } from "../../../src/contract/requests/reply.ts";
import { createStore } from "../base/store.ts";
import { say } from "../ui/toast.tsx";
import { answeredBefore, problemText, server } from "./client.ts";
import { type News, onConnect, onNews } from "./live.ts";

/** Everything that waits for a person, the longest waiting first. */
export interface Inbox {
  items: readonly OpenRequestItem[];
  state: "loading" | "ready" | "failed";
  /** What became of answers given here. */
  fates: ReadonlyMap<string, Fate>;
  /** How requests ended, and by whom, as far as this page has heard. */
  ends: ReadonlyMap<string, EventOf<"request_resolved">>;
}
export type Fate =
  | { state: "sending" }
  | { state: "done" }
  | { state: "taken"; text: string }
  | { state: "failed"; text: string };

export const inbox = createStore<Inbox>({ items: [], state: "loading", fates: new Map(), ends: new Map() });

export const requestKey = ({ run_id, pending_id }: { run_id: string; pending_id: string }) => `${run_id}/${pending_id}`;

let asked: ReturnType<typeof setTimeout> | undefined;

export function followInbox(): void {
  void loadInbox();
  onConnect(() => void loadInbox());
  onNews((news) => {
    rememberEnds(news);
    if (news.some((each) => each.about === "ledger" || (each.about === "run" && concerns.has(each.event.type)))) soon();
  });
}

const concerns = new Set(["permission_request", "question_request", "request_resolved", "session_status", "complete"]);

const REMEMBERED = 200;

function rememberEnds(news: readonly News[]): void {
  const ended = news.flatMap((each): [string, EventOf<"request_resolved">][] =>
    each.about === "run" && each.event.type === "request_resolved"
      ? [[requestKey({ run_id: each.run, pending_id: each.event.pendingId }), each.event]]
      : [],
  );
  if (ended.length === 0) return;
  inbox.set({ ...inbox.get(), ends: new Map([...inbox.get().ends, ...ended].slice(-REMEMBERED)) });
}

function soon(): void {
  asked ??= setTimeout(() => {
    asked = undefined;
    void loadInbox();
  }, 60);
}

async function loadInbox(): Promise<void> {
  try {
    const { items } = await server.call("GET /inbox");
    const open = new Set(items.map(requestKey));
    const { fates: before } = inbox.get();
    // What was answered here, or is being answered, is remembered: a list that was on its way meanwhile may still have it.
    const isMine = (fate: Fate | undefined) => fate?.state === "sending" || fate?.state === "done";
    const fates = new Map([...before].filter(([key, fate]) => open.has(key) || isMine(fate)));
    const left = items.filter((item) => before.get(requestKey(item))?.state !== "done");
    inbox.set({ ...inbox.get(), items: left, state: "ready", fates });
  } catch {
    inbox.set({ ...inbox.get(), state: inbox.get().state === "ready" ? "ready" : "failed" });
  }
}

/** True when it was taken. Somebody else may have been first: then that is said where the request stands. */
export async function answer(request: { run_id: string; pending_id: string }, reply: Reply): Promise<boolean> {
  const key = requestKey(request);
  const before = inbox.get().fates.get(key)?.state;
  if (before === "sending" || before === "done") return false;
  setFate(key, { state: "sending" });
  try {
    await server.call("POST /runs/{run}/requests/{pending}", {
      params: { run: request.run_id, pending: request.pending_id },
      body: reply,
    });
    const { items, fates } = inbox.get();
    const left = items.filter((item) => requestKey(item) !== key);
    inbox.set({ ...inbox.get(), items: left, fates: new Map(fates).set(key, { state: "done" }) });
    return true;
  } catch (error) {
    const first = answeredBefore(error);
    setFate(key, first === undefined ? { state: "failed", text: problemText(error) } : { state: "taken", text: first });
    if (first !== undefined) {
      say(first); // the request itself is gone in a moment
      soon();
    }
    return false;
  }
}

function setFate(key: string, fate: Fate): void {
  inbox.set({ ...inbox.get(), fates: new Map(inbox.get().fates).set(key, fate) });
}
