import type { Reply } from "../../../contract/requests/reply.ts";
import type { AskedRequest } from "../../../core/runs/open-requests.ts";
import { type Answering, beginAnswering, decisionOf, gone, press } from "../view/live/answering.ts";
import type { Key } from "../view/live/keys.ts";
import type { KeyTime } from "../view/terminal/full-screen.ts";
import { placeAfter, stepOf } from "../view/terminal/steps.ts";

/** A request that waits, and who asks. */
export interface Waiting extends AskedRequest {
  /** `r12.p0` */
  name: string;
  agent: string;
  cwd: string;
  /** "Always" stores a rule. */
  canRemember: boolean;
}

export interface Inbox {
  /** The longest waiting first. */
  readonly waiting: readonly Waiting[];
  /** What the person looks at: it may be gone, while something is being typed. */
  readonly focus: { readonly one: Waiting; readonly answering: Answering } | undefined;
  /** Answered here; their runs have not said so yet. */
  readonly sent: ReadonlySet<string>;
  readonly help: boolean;
}

export const emptyInbox: Inbox = { waiting: [], focus: undefined, sent: new Set(), help: false };

/** The request itself, not its name: what is asked anew under the same name was not read yet. */
export const keyOf = ({ runId, request }: AskedRequest): string => `${runId} ${request.seq} ${request.pendingId}`;

/** What waits and was not answered here. */
export const openIn = ({ waiting, sent }: Inbox): Waiting[] => waiting.filter((one) => !sent.has(keyOf(one)));

/** This waits now. `because`: why something waits no longer. */
export function follow(inbox: Inbox, waiting: readonly Waiting[], because: (one: Waiting) => string): Inbox {
  const keys = new Set(waiting.map(keyOf));
  const sent = new Set([...inbox.sent].filter((key) => keys.has(key)));
  const now = { ...inbox, waiting, sent };
  const { focus } = inbox;
  if (focus === undefined) return toward(now, 0);
  if (keys.has(keyOf(focus.one))) return now;
  const answering = gone(focus.answering, because(focus.one));
  if (answering !== undefined) return { ...now, focus: { ...focus, answering } };
  return toward(
    now,
    inbox.waiting.findIndex((one) => keyOf(one) === keyOf(focus.one)),
  );
}

/** The run refused the answer: it is asked again. */
export function notSent(inbox: Inbox, one: Waiting): Inbox {
  const now = { ...inbox, sent: new Set([...inbox.sent].filter((key) => key !== keyOf(one))) };
  return now.focus === undefined ? toward(now, 0) : now;
}

export type InboxAction = { do: "answer"; one: Waiting; reply: Reply } | { do: "more" } | { do: "leave" };

export interface Pressed {
  inbox: Inbox;
  action?: InboxAction;
}

/** One key further. Moving harms nothing, so it needs no rest; what decides does. */
export function pressKey(inbox: Inbox, key: Key, time: KeyTime): Pressed {
  if (inbox.help) return { inbox: { ...inbox, help: false } };
  const { focus } = inbox;
  const letter = key.key === "text" && !key.pasted ? key.text : "";
  const isTyped = focus !== undefined && focus.answering.stage !== "choose";
  const step = isTyped ? stepWhileTyping(focus.answering, key) : stepOf(key, "j", "k");
  if (step !== 0) return { inbox: moved(inbox, step) };
  if (!isTyped && (focus === undefined || time.isSettled)) {
    if (letter === "q") return { inbox, action: { do: "leave" } };
    if (letter === "?") return { inbox: { ...inbox, help: true } };
  }
  if (focus === undefined || !time.isSettled) return { inbox };
  return answer(inbox, focus, key, time);
}

/** What a key would decide all by itself, in words. */
export function decisionIn({ help, focus }: Inbox, key: Key, { isSettled, isRead }: KeyTime): string | undefined {
  if (help || focus === undefined || !isSettled) return undefined;
  const { one, answering } = focus;
  return decisionOf(one.request, answering, key, { isRead, canRemember: one.canRemember });
}

function answer(inbox: Inbox, focus: NonNullable<Inbox["focus"]>, key: Key, { isRead }: KeyTime): Pressed {
  const { one, answering } = focus;
  const result = press(one.request, answering, key, { isRead, canRemember: one.canRemember });
  if ("show" in result) return { inbox, action: { do: "more" } };
  if ("next" in result) {
    return { inbox: result.next === answering ? inbox : { ...inbox, focus: { one, answering: result.next } } };
  }
  const at = inbox.waiting.findIndex((other) => keyOf(other) === keyOf(one));
  if ("leave" in result) return { inbox: toward(inbox, at) };
  const sent = new Set([...inbox.sent, keyOf(one)]);
  return { inbox: toward({ ...inbox, sent }, at + 1), action: { do: "answer", one, reply: result.reply } };
}

/** As long as nothing is typed, left and right mean nothing to the text. */
function stepWhileTyping(answering: Answering, key: Key): number {
  if (answering.stage === "choose" || answering.stage === "over" || answering.draft.text !== "") return 0;
  return key.key === "text" ? 0 : stepOf(key, "j", "k");
}

function moved(inbox: Inbox, step: number): Inbox {
  const open = openIn(inbox);
  const at = open.findIndex((one) => inbox.focus !== undefined && keyOf(one) === keyOf(inbox.focus.one));
  const next = open[placeAfter(at, step, open.length)];
  return next === undefined || at === -1 || next === open[at] ? inbox : looking(inbox, next);
}

/** The first open one from this place on, or the first of all. */
function toward(inbox: Inbox, at: number): Inbox {
  const open = openIn(inbox);
  const next = open.find((one) => inbox.waiting.indexOf(one) >= at) ?? open[0];
  return next === undefined ? { ...inbox, focus: undefined } : looking(inbox, next);
}

const looking = (inbox: Inbox, one: Waiting): Inbox => ({
  ...inbox,
  focus: { one, answering: beginAnswering(one.request) },
});
