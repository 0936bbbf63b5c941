import type { AgentEvent, EventOf } from "../../../contract/events.ts";
import { closing, closingItems, nothingOpen, type OpenItems, track } from "../../../contract/sessions/open-items.ts";
import type { Translator } from "../../../contract/sessions/session.ts";
import { readApiError } from "../api-error.ts";
import { errorEvent } from "../category.ts";
import { type Json, listOf, objectOf, showJson, textOf } from "../read.ts";
import { unknownType } from "../unmapped.ts";
import { type Ask, askOf } from "./asks.ts";
import { conversationId, type McpMessage, wireTypes } from "./messages.ts";

type RpcId = string | number;

export interface McpState {
  readonly open: OpenItems;
  readonly turns: number;
  /** Our side is in the log too, so an answer to nothing we asked means nothing. */
  readonly isLive: boolean;
  /** The call of the tool that is the open turn. */
  readonly call?: RpcId;
  /** The conversation that this call goes on with, if any. */
  readonly resume?: string;
  readonly sessionId?: string;
  readonly asks: ReadonlyMap<RpcId, Ask>;
}

type Step = readonly [McpState, readonly AgentEvent[]];

export const mcpTranslator: Translator<McpMessage, McpState> = {
  initial: () => ({ open: nothingOpen, turns: 0, isLive: false, asks: new Map() }),
  step(state, { dir, message }) {
    const [next, events] = dir === "sent" ? sent({ ...state, isLive: true }, message) : received(state, message);
    if (events.length === 0) return [next, events];
    const open = events.reduce(track, next.open);
    return [open === next.open ? next : { ...next, open }, events];
  },
  finish: (state, reason) => closing(state.open, reason),
};

/** Unique within the log: the agent counts its requests, and another process would count them anew. */
export const pendingIdOf = (id: RpcId): string => `p${String(id)}`;

function sent(state: McpState, { id, method, params = {}, result }: McpMessage): Step {
  if (method === "tools/call" && id !== undefined) {
    const turns = state.turns + 1;
    const resume = conversationId(objectOf(params.arguments));
    return [{ ...state, turns, call: id, resume }, [{ type: "turn_started", turn: `t${turns}` }]];
  }
  if (method === "notifications/cancelled" && params.requestId === state.call && state.call !== undefined) {
    return ended(state, { outcome: "interrupted", stopReason: "cancelled" });
  }
  const ask = id === undefined || method !== undefined ? undefined : state.asks.get(id);
  return ask === undefined || id === undefined ? [state, []] : answered(state, id, ask, objectOf(result));
}

function answered(state: McpState, id: RpcId, ask: Ask, { action }: Json): Step {
  const yes = ask.kind === "permission" ? "allowed" : "answered";
  const outcome = action === "accept" ? yes : action === "decline" ? "denied" : "cancelled";
  const optionId = ask.kind === "permission" && outcome !== "cancelled" ? textOf(action) : undefined;
  // Who decided is filled in by the layer above, which knows.
  const resolved: AgentEvent = {
    type: "request_resolved",
    pendingId: pendingIdOf(id),
    outcome,
    by: "person",
    optionId,
  };
  return [{ ...state, asks: without(state.asks, id) }, [resolved]];
}

function received(state: McpState, message: McpMessage): Step {
  const { id, method } = message;
  if (method === undefined) return replied(state, message);
  const params = message.params ?? {};
  const { turn } = state.open;
  switch (method) {
    case "elicitation/create": {
      if (id === undefined) return [state, [unmapped(message)]];
      const ask = askOf(params);
      const asks = new Map(state.asks).set(id, ask);
      return [{ ...state, asks }, [{ ...ask.request, pendingId: pendingIdOf(id), turn }]];
    }
    case "notifications/cancelled":
      return withdrawn(state, params.requestId);
    case "notifications/progress": {
      const text = textOf(params.message) ?? "";
      return [
        state,
        text === "" ? [] : [{ type: "reasoning", turn, messageId: `t${state.turns}.p`, text: `${text}\n` }],
      ];
    }
    case "notifications/message": {
      const text = showJson(params.data) ?? "";
      return [
        state,
        [{ type: "notice", turn, code: "log", text, data: { level: params.level, logger: params.logger } }],
      ];
    }
    case "sampling/createMessage":
    case "roots/list":
      return [
        state,
        [{ type: "notice", turn, code: "refused_request", text: `the agent asked for ${method}: not offered` }],
      ];
    default:
      return [state, Object.hasOwn(wireTypes, method) ? [] : [unmapped(message)]];
  }
}

function withdrawn(state: McpState, id: unknown): Step {
  if ((typeof id !== "string" && typeof id !== "number") || !state.asks.has(id)) return [state, []];
  const resolved: AgentEvent = {
    type: "request_resolved",
    pendingId: pendingIdOf(id),
    outcome: "cancelled",
    by: "agent",
  };
  return [{ ...state, asks: without(state.asks, id) }, [resolved]];
}

/** In a log without our side every result with content is a turn; with it, only the answer to the open call. */
function replied(state: McpState, message: McpMessage): Step {
  const result = objectOf(message.result);
  if (state.isLive)
    return message.id !== undefined && message.id === state.call ? toolEnded(state, message) : [state, []];
  if (!Array.isArray(result.content) && message.error === undefined) return [state, []];
  const turns = state.turns + 1;
  const [next, events] = toolEnded({ ...state, turns }, message);
  return [next, [{ type: "turn_started", turn: `t${turns}` }, ...events]];
}

function toolEnded(state: McpState, { result: raw, error }: McpMessage): Step {
  const turn = `t${state.turns}`;
  if (error !== undefined) {
    const said = error.message ?? `error ${error.code}`;
    return ended(state, { outcome: "failed", reason: said }, [errorEvent({ turn, ...readApiError(said) })]);
  }
  const result = objectOf(raw);
  const text = textIn(result);
  if (result.isError === true) {
    const trouble = readApiError(text === "" ? "the tool failed without a message" : text);
    return ended(state, { outcome: "failed", reason: trouble.message }, [errorEvent({ turn, ...trouble })]);
  }
  const [known, status] = identified(state, objectOf(result.structuredContent));
  const said: AgentEvent[] = text === "" ? [] : [{ type: "message_chunk", turn, messageId: `${turn}.m`, text }];
  return ended(known, { outcome: "completed", stopReason: "end_turn" }, [...status, ...said]);
}

type End = Pick<EventOf<"complete">, "outcome" | "stopReason" | "reason">;

function ended(state: McpState, how: End, events: readonly AgentEvent[] = []): Step {
  const dangling = closingItems(state.open, "the turn ended");
  const complete: AgentEvent = { type: "complete", turn: `t${state.turns}`, ...how };
  return [{ ...state, call: undefined, asks: new Map() }, [...dangling, ...events, complete]];
}

function textIn(result: Json): string {
  const parts = listOf(result.content).map((item) => {
    const part = objectOf(item);
    return textOf(part.text) ?? `[${textOf(part.type) ?? "content"}]`;
  });
  if (parts.length > 0) return parts.join("\n");
  const structured = objectOf(result.structuredContent);
  return textOf(structured.content) ?? showJson(result.structuredContent) ?? "";
}

function identified(state: McpState, structured: Json): Step {
  const sessionId = conversationId(structured);
  if (sessionId === undefined || sessionId === state.sessionId) return [state, []];
  const status = sessionId === state.resume ? "resumed" : "new";
  const resumedBy = status === "resumed" ? "native" : undefined;
  const event: AgentEvent = { type: "session_status", status, sessionId, resumedBy, can: ["interrupt", "resume"] };
  return [{ ...state, sessionId }, [event]];
}

function without<T>(map: ReadonlyMap<RpcId, T>, id: RpcId): ReadonlyMap<RpcId, T> {
  const copy = new Map(map);
  copy.delete(id);
  return copy;
}

function unmapped(message: McpMessage): AgentEvent {
  return unknownType("mcp", message.method, message);
}
