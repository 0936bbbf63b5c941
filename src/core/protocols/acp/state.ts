import type { ConfigOption, PermissionOption } from "../../../contract/events.ts";
import { nothingOpen, type OpenItems } from "../../../contract/sessions/open-items.ts";
import type { Json } from "../read.ts";

export interface Request {
  pendingId: string;
  toolCallId?: string;
  options: readonly PermissionOption[];
}

type RpcId = string | number | null;

export interface AcpState {
  readonly open: OpenItems;
  readonly turns: number;
  readonly sessionId: string;
  /** The agent's answer to `initialize`. */
  readonly agent: Json;
  /** Our requests that wait for an answer. */
  readonly asked: ReadonlyMap<RpcId, { method: string; params: Json; turn?: string }>;
  /** The agent's requests that wait for ours. */
  readonly requests: ReadonlyMap<RpcId, Request>;
  readonly tools: ReadonlySet<string>;
  readonly denied: ReadonlySet<string>;
  readonly options: readonly ConfigOption[];
  /** We see both sides; else this is a log made elsewhere. */
  readonly live: boolean;
  /** From `session/load` to the next prompt the agent repeats history we have (codex-acp goes on after its answer). */
  readonly loading: boolean;
  /** The message being streamed, for agents that don't number theirs. */
  readonly message: { type: "message_chunk" | "reasoning"; id: string } | undefined;
  readonly messages: number;
  /** Cumulative, as the agent reports it. */
  readonly cost: number;
  readonly costBefore: number;
  readonly contextSize: number;
  /** What was said in a turn since its thread went into an error (codex-acp); the words may also have come before. */
  readonly failing: string | undefined;
  readonly lastText: string;
}

export const initial = (): AcpState => ({
  open: nothingOpen,
  turns: 0,
  sessionId: "",
  agent: {},
  asked: new Map(),
  requests: new Map(),
  tools: new Set(),
  denied: new Set(),
  options: [],
  live: false,
  loading: false,
  message: undefined,
  messages: 0,
  cost: 0,
  costBefore: 0,
  contextSize: 0,
  failing: undefined,
  lastText: "",
});
