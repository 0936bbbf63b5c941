import type { OpenRequestItem } from "../../../src/contract/api/values.ts";
import type { Answer } from "../../../src/contract/commands.ts";
import type { EventOf } from "../../../src/contract/events.ts";
import { createStore } from "../base/store.ts";
import { say } from "../ui/toast.tsx";
import { answeredBefore, problemText, server } from "./client.ts";
import { onConnect, onNews } from "./live.ts";

/** Everything that waits for a person, the longest waiting first. */
export interface Inbox {
  items: readonly OpenRequestItem[];
  state: "loading" | "ready" | "failed";
  /** What became of answers given here: sending, refused. */
  fates: ReadonlyMap<string, Fate>;
}
export type Fate = { state: "sending" } | { state: "taken"; text: string } | { state: "failed"; text: string };

export const inbox = createStore<Inbox>({ items: [], state: "loading", fates: new Map() });

export const requestKey = ({ run_id, pending_id }: { run_id: string; pending_id: string }) => `${run_id}/${pending_id}`;

let asked: ReturnType<typeof setTimeout> | undefined;

export function followInbox(): void {
  void loadInbox();
  onConnect(() => void loadInbox());
  onNews((news) => {
    if (news.some((each) => each.about === "ledger" || (each.about === "run" && concerns.has(each.event.type)))) soon();
  });
}

const concerns = new Set(["permission_request", "question_request", "request_resolved", "session_status", "complete"]);

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
    const fates = new Map([...inbox.get().fates].filter(([key, { state }]) => open.has(key) && state !== "sending"));
    inbox.set({ items, state: "ready", fates });
  } catch {
    inbox.set({ ...inbox.get(), state: inbox.get().state === "ready" ? "ready" : "failed" });
  }
}

/** True when it was taken. Somebody else may have been first: then that is said where the request stands. */
export async function answer(
  request: { run_id: string; pending_id: string },
  given: Answer,
  remember?: "allow" | "deny",
): Promise<boolean> {
  const key = requestKey(request);
  setFate(key, { state: "sending" });
  try {
    await server.call("POST /runs/{run}/requests/{pending}", {
      params: { run: request.run_id, pending: request.pending_id },
      body: { answer: given, ...(remember === undefined ? {} : { remember }) },
    });
    inbox.set({ ...inbox.get(), items: inbox.get().items.filter((item) => requestKey(item) !== key) });
    return true;
  } catch (error) {
    const before = answeredBefore(error);
    setFate(
      key,
      before === undefined ? { state: "failed", text: problemText(error) } : { state: "taken", text: before },
    );
    if (before !== undefined) {
      say(before); // the request itself is gone in a moment
      soon();
    }
    return false;
  }
}

function setFate(key: string, fate: Fate): void {
  inbox.set({ ...inbox.get(), fates: new Map(inbox.get().fates).set(key, fate) });
}

type Permission = EventOf<"permission_request">;

/** The option of the agent's that says this; its own words for it are on the button. */
export function optionFor(
  { permissionOptions }: Permission,
  kinds: readonly Permission["permissionOptions"][number]["kind"][],
) {
  for (const kind of kinds) {
    const option = permissionOptions.find((candidate) => candidate.kind === kind);
    if (option !== undefined) return option;
  }
  return undefined;
}

/** Yes, this once. */
export function allowOnce(request: Permission): Answer | undefined {
  const option = optionFor(request, ["allow_once", "allow_always"]);
  return option && { optionId: option.id };
}

export function deny(request: Permission, reason: string): Answer {
  const option = optionFor(request, ["reject_once", "reject_always"]);
  const why = reason === "" ? {} : { reason };
  return option === undefined ? { decline: true, ...why } : { optionId: option.id, ...why };
}
