import type { AgentEvent, Choice, EventOf, FileDiff, Question } from "../../../contract/events.ts";
import { nothingOpen, type OpenItems } from "../../../contract/sessions/open-items.ts";
import type { Json } from "../read.ts";
import { unknownType } from "../unmapped.ts";
import type { CodexMessage, RpcId } from "./messages.ts";

export const PROTOCOL = "codex";

export type Step = readonly [CodexState, readonly AgentEvent[]];

export interface CodexState {
  readonly open: OpenItems;
  readonly turns: number;
  readonly turn: Turn | undefined;
  readonly threadId: string | undefined;
  readonly resumed: boolean;
  readonly version: string | undefined;
  /** Our requests that wait for their answer. */
  readonly issued: ReadonlyMap<RpcId, string>;
  /** The agent's requests: open ones with what an answer needs, the rest so that a late answer is told from a wrong one. */
  readonly asks: ReadonlyMap<string, Ask | "closed">;
  /** The threads of sub-agents, with the tool call that started each. */
  readonly agents: ReadonlyMap<string, string>;
  /** How much of an item's text was streamed. */
  readonly said: ReadonlyMap<string, number>;
  /** The changes to files, which a request for approval names by their item only. */
  readonly patches: ReadonlyMap<string, readonly FileDiff[]>;
  readonly tokens: Tokens | undefined;
  /** The context window as it was told last. */
  readonly context: string | undefined;
  readonly options: Options;
}

export interface Turn {
  readonly id: string;
  /** Codex' own id, known from its answer or its notification, whichever comes first. */
  readonly codexId?: string;
  /** Our request that began it. */
  readonly requestId?: RpcId;
  readonly interrupted: boolean;
  readonly errorTold: boolean;
  /** Why it fails although codex will call it interrupted. */
  readonly failing?: string;
  /** Whether the model has answered anything yet. */
  readonly answering: boolean;
  /** The total when it began. */
  readonly tokensBefore?: Tokens;
  readonly counted: boolean;
}

export interface Tokens {
  readonly input: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

export interface Options {
  readonly models: readonly Model[];
  readonly model?: string;
  readonly effort?: string;
  readonly approvals?: string;
}

export interface Model extends Choice {
  readonly efforts: readonly Choice[];
  readonly defaultEffort?: string;
}

export interface Ask {
  readonly kind: "decision" | "permissions" | "mcpTool" | "questions" | "elicitation";
  readonly id: RpcId;
  readonly itemId?: string;
  readonly params: Json;
  readonly questions: readonly Question[];
}

export const initial = (): CodexState => ({
  open: nothingOpen,
  turns: 0,
  turn: undefined,
  threadId: undefined,
  resumed: false,
  version: undefined,
  issued: new Map(),
  asks: new Map(),
  agents: new Map(),
  said: new Map(),
  patches: new Map(),
  tokens: undefined,
  context: undefined,
  options: { models: [] },
});

export function beginTurn(state: CodexState, known: Pick<Turn, "codexId" | "requestId">): Step {
  const turns = state.turns + 1;
  const turn: Turn = {
    id: `t${turns}`,
    ...known,
    interrupted: false,
    errorTold: false,
    answering: false,
    tokensBefore: state.tokens,
    counted: false,
  };
  return [{ ...state, turns, turn }, [{ type: "turn_started", turn: turn.id }]];
}

/** Runs the second on what the first left behind. */
export function andThen([state, events]: Step, next: (state: CodexState) => Step): Step {
  const [after, more] = next(state);
  return [after, events.length === 0 ? more : [...events, ...more]];
}

export function unmapped(message: CodexMessage, wireType: string): EventOf<"unmapped"> {
  return unknownType(PROTOCOL, wireType, message);
}
