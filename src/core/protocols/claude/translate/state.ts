import type { AgentEvent, Choice, EventOf, Question, Usage } from "../../../../contract/events.ts";
import { nothingOpen, type OpenItems } from "../../../../contract/sessions/open-items.ts";
import type { Json } from "../../read.ts";
import { unknownType } from "../../unmapped.ts";
import { type ClaudeMessage, wireTypeOf } from "../messages.ts";

export const PROTOCOL = "claude-code";

export type Step = readonly [ClaudeState, readonly AgentEvent[]];

export interface ClaudeState {
  readonly open: OpenItems;
  readonly turns: number;
  readonly turn: Turn | undefined;
  /** Messages sent in the middle of a turn that no turn has taken up yet, by uuid. */
  readonly waiting: readonly string[];
  /** How the conversation was opened; an id that we chose ourselves is known before the CLI says it. */
  readonly opening: Opening;
  readonly session: { id: string; version?: string } | undefined;
  readonly options: Options;
  /** The agent's requests: open ones with what an answer needs, the rest so that a late answer is told from a wrong one. */
  readonly asks: ReadonlyMap<string, Ask | "closed">;
  /** Our control requests that wait for their response, by id. */
  readonly issued: ReadonlyMap<string, Json>;
  readonly main: Saying;
  readonly subagents: ReadonlyMap<string, Saying>;
  /** Tools that go on after their turn, until a task_notification names them. */
  readonly background: ReadonlySet<string>;
  readonly denied: ReadonlySet<string>;
  /** `total_cost_usd` of the last result; it counts on over turns and resumes. */
  readonly cost: number | undefined;
  readonly context: { model?: string; used?: number; size?: number; told?: string };
}

export interface Opening {
  resumed: boolean;
  sessionId?: string;
}

export interface Turn {
  readonly id: string;
  /** The message that began it. Unknown for a turn that the agent began by itself, and in logs made elsewhere. */
  readonly uuid?: string;
  readonly interrupted: boolean;
  readonly spoke: boolean;
  /** Of runs within this turn that have their result; then of the messages since. */
  readonly settled?: Usage;
  readonly live?: Usage;
  readonly apiError?: ApiError;
}

/** What the synthetic message says that the CLI shows in place of an answer. */
export interface ApiError {
  name?: string;
  text: string;
}

/** The message being said and how much of its current block was streamed. */
export interface Saying {
  readonly id: string;
  readonly index: number;
  /** Of the block that is being streamed; none between blocks and when nothing is streamed. */
  readonly kind?: string;
  readonly said: number;
}

export interface Options {
  readonly models: readonly (Choice & { resolved?: string })[];
  readonly model?: string;
  readonly mode?: string;
}

export interface Ask {
  readonly kind: "permission" | "question" | "elicitation";
  readonly requestId: string;
  readonly tool: string;
  readonly toolCallId?: string;
  /** A sub-agent's, which may go on after the turn. */
  readonly agentId?: string;
  readonly input: Json;
  readonly suggestions: readonly unknown[];
  readonly questions: readonly Question[];
}

export const silent: Saying = { id: "", index: -1, said: 0 };

export const initial = (opening: Opening): ClaudeState => ({
  open: nothingOpen,
  turns: 0,
  turn: undefined,
  waiting: [],
  opening,
  session: undefined,
  options: { models: [] },
  asks: new Map(),
  issued: new Map(),
  main: silent,
  subagents: new Map(),
  background: new Set(),
  denied: new Set(),
  cost: undefined,
  context: {},
});

export function beginTurn(state: ClaudeState, uuid?: string): Step {
  const turns = state.turns + 1;
  const turn: Turn = { id: `t${turns}`, uuid, interrupted: false, spoke: false };
  return [{ ...state, turns, turn }, [{ type: "turn_started", turn: turn.id }]];
}

/** What the agent says outside of a turn begins one: it may wake up by itself, and logs made elsewhere lack our side. */
export const ensureTurn = (state: ClaudeState): Step => (state.turn === undefined ? beginTurn(state) : [state, []]);

/** Runs the second on what the first left behind. */
export function andThen([state, events]: Step, next: (state: ClaudeState) => Step): Step {
  const [after, more] = next(state);
  return [after, events.length === 0 ? more : [...events, ...more]];
}

export function unmapped(message: ClaudeMessage, wireType = wireTypeOf(message)): EventOf<"unmapped"> {
  return unknownType(PROTOCOL, wireType, message);
}
