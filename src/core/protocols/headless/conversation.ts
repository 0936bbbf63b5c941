import type { AgentEvent, EventOf, Usage } from "../../../contract/events.ts";
import { closing, closingItems, nothingOpen, type OpenItems, track } from "../../../contract/sessions/open-items.ts";
import type { Translator } from "../../../contract/sessions/session.ts";
import { errorEvent } from "../category.ts";
import type { Json } from "../read.ts";

export interface Resume {
  sessionId: string;
  fork?: boolean;
}

/** What our side knows and the stream doesn't say. It reaches the translator as sent frames. */
export type Ours =
  | { type: "turn"; resume?: Resume }
  | { type: "interrupt"; reason: string }
  /** The turn's process is gone; without a reason it ended in order. */
  | { type: "exit"; reason?: string };

/** What every CLI with a process per turn has in common. */
export interface Conversation {
  readonly open: OpenItems;
  readonly turns: number;
  readonly sessionId?: string;
  /** What the process of this turn was told to go on with. */
  readonly resume?: Resume;
  /** The process of the open turn has spoken, so one that begins now belongs to another turn. */
  readonly begun: boolean;
  /** Why we ended this turn, if we did. */
  readonly interrupted?: string;
}

export const newConversation: Conversation = {
  open: nothingOpen,
  turns: 0,
  sessionId: undefined,
  resume: undefined,
  begun: false,
  interrupted: undefined,
};

export type Step<State> = readonly [State, readonly AgentEvent[]];

type Fresh<State> = (state: State) => State;

export interface Wire<State> {
  initial: State;
  /** The state with nothing left in it of the turn before. */
  fresh: Fresh<State>;
  received(state: State, line: Json): Step<State>;
  /** What a turn that never said its usage has used. */
  usage?(state: State): Usage | undefined;
  /** For a CLI without a result line: whether an exit in order now means that the turn is done. */
  isDone?(state: State): boolean;
}

export function headlessTranslator<State extends Conversation>(wire: Wire<State>): Translator<Json, State> {
  const ours = (state: State, message: Ours): Step<State> => {
    switch (message.type) {
      case "turn":
        return start(state, wire.fresh, false, message.resume);
      case "interrupt":
        return [{ ...state, interrupted: message.reason }, []];
      case "exit": {
        if (state.open.turn === undefined) return [state, []];
        const usage = wire.usage?.(state);
        if (message.reason !== undefined) return end(state, { outcome: "failed", reason: message.reason, usage });
        if (wire.isDone?.(state) && state.interrupted === undefined) return end(state, { outcome: "completed", usage });
        const error = errorEvent({ turn: turnOf(state), category: "process", message: NO_RESULT });
        return end(state, { outcome: "failed", reason: NO_RESULT, usage }, error);
      }
    }
  };
  return {
    initial: () => wire.initial,
    step(state, { dir, message }) {
      const [next, events] = dir === "sent" ? ours(state, message as Ours) : wire.received(state, message);
      if (events.length === 0) return [next, events];
      const open = events.reduce(track, next.open);
      return [open === next.open ? next : { ...next, open }, events];
    },
    finish: ({ open, interrupted }, reason) =>
      closing(open, interrupted ?? reason, interrupted ? "interrupted" : "failed"),
  };
}

/** gemini exits 0 on SIGTERM, in the middle of its sentence. */
const NO_RESULT = "the agent ended without a result";

function start<State extends Conversation>(
  state: State,
  fresh: Fresh<State>,
  begun: boolean,
  resume?: Resume,
): Step<State> {
  const turns = state.turns + 1;
  const started: AgentEvent = { type: "turn_started", turn: `t${turns}` };
  const events = state.open.turn === undefined ? [started] : [...closing(state.open, NO_RESULT), started];
  return [{ ...fresh(state), turns, begun, resume, interrupted: undefined }, events];
}

/** The CLI says that it begins: with the turn we asked for, or, in a log made elsewhere, with one more. */
export function begin<State extends Conversation>(state: State, fresh: Fresh<State>): Step<State> {
  if (state.open.turn !== undefined && !state.begun) return [{ ...state, begun: true }, []];
  return start(state, fresh, true);
}

/** The name of the turn that is open, or was opened in this very step. */
export const turnOf = (state: Conversation): string => `t${state.turns}`;

type Abilities = NonNullable<Extract<EventOf<"session_status">, { sessionId: string }>["can"]>;

export function identify<State extends Conversation>(
  state: State,
  sessionId: string | undefined,
  can: Abilities,
): Step<State> {
  if (sessionId === undefined || sessionId === state.sessionId) return [state, []];
  const { resume } = state;
  const isResumed = resume?.sessionId === sessionId;
  const status: AgentEvent = {
    type: "session_status",
    status: isResumed ? "resumed" : "new",
    sessionId,
    resumedBy: isResumed ? "flag" : undefined,
    can,
  };
  const next = { ...state, sessionId };
  if (isResumed || resume === undefined || resume.fork) return [next, [status]];
  const text = `asked to go on with ${resume.sessionId}, the agent began a new conversation`;
  return [next, [status, { type: "notice", turn: state.open.turn, code: "session_changed", text }]];
}

type End = Omit<EventOf<"complete">, "type" | "turn">;

/** The end of the open turn, after everything that hangs in it. Whoever asked for an interrupt sees no error of it. */
export function end<State extends Conversation>(state: State, how: End, error?: AgentEvent): Step<State> {
  const { interrupted, open } = state;
  const isOurs = interrupted !== undefined && how.outcome === "failed";
  const complete: AgentEvent = { type: "complete", turn: turnOf(state), ...how };
  if (isOurs) Object.assign(complete, { outcome: "interrupted", stopReason: "cancelled", reason: interrupted });
  const events = closingItems(open, "the turn ended");
  if (error !== undefined && !isOurs) events.push(error);
  events.push(complete);
  return [{ ...state, begun: false, interrupted: undefined, resume: undefined }, events];
}
