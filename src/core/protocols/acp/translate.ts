import type { AgentEvent, ConfigOption, EventOf, PermissionOption } from "../../../contract/events.ts";
import { closing, closingItems, track } from "../../../contract/sessions/open-items.ts";
import type { Translator } from "../../../contract/sessions/session.ts";
import { readApiError } from "../api-error.ts";
import { errorEvent } from "../category.ts";
import { isFrame } from "../json-rpc.ts";
import { type Json, listOf, objectOf, oneOf, showJson, textOf } from "../read.ts";
import { unknownType } from "../unmapped.ts";
import { questionsOf } from "./elicitation.ts";
import { usageOf } from "./figures.ts";
import { type AcpMessage, pendingIdOf, wireTypes } from "./messages.ts";
import { optionsOf, stopReasonOf, withValue } from "./options.ts";
import { type AcpState, initial, type Request } from "./state.ts";
import { actionDetails, kindOf, toolFields, wholeTool } from "./tools.ts";
import { updated } from "./updates.ts";

type Step = readonly [AcpState, readonly AgentEvent[]];

export const acpTranslator: Translator<AcpMessage, AcpState> = {
  initial,
  step(state, { dir, message }) {
    const [next, events] = dir === "sent" ? sent(state, message) : received(state, message);
    if (events.length === 0) return [next, events];
    const open = events.reduce(track, next.open);
    return [open === next.open ? next : { ...next, open }, events];
  },
  finish: (state, reason) => closing(state.open, reason),
};

function sent(state: AcpState, message: AcpMessage): Step {
  if (message.method === undefined) return answered(state, message);
  const asked = message.id === undefined ? state : remember(state, message);
  switch (message.method) {
    case "session/prompt": {
      const turn = `t${state.turns + 1}`;
      const begun = { ...asked, turns: state.turns + 1, costBefore: state.cost, loading: false, lastText: "" };
      return [begun, [{ type: "turn_started", turn }]];
    }
    case "session/load":
      return [{ ...asked, loading: true }, []];
    default:
      return [asked, []];
  }
}

function remember(state: AcpState, { id, method = "", params }: AcpMessage): AcpState {
  const turn = method === "session/prompt" ? `t${state.turns + 1}` : undefined;
  return { ...state, live: true, asked: new Map(state.asked).set(id ?? null, { method, params: params ?? {}, turn }) };
}

/** We answered the agent's request. Who decided is filled in by the layer above, which knows. */
function answered(state: AcpState, { id, result }: AcpMessage): Step {
  const request = state.requests.get(id ?? null);
  if (request === undefined) return [state, []];
  const requests = new Map(state.requests);
  requests.delete(id ?? null);
  const { pendingId } = request;
  const chosen = objectOf(objectOf(result).outcome);
  const action = textOf(objectOf(result).action);
  const option = request.options.find(({ id }) => id === chosen.optionId);
  const outcome = outcomeOf(action, option);
  const resolved: AgentEvent = { type: "request_resolved", pendingId, outcome, by: "person", optionId: option?.id };
  if (outcome !== "denied" || request.toolCallId === undefined) return [{ ...state, requests }, [resolved]];
  const denied = new Set(state.denied).add(request.toolCallId);
  const { toolCallId } = request;
  const update: AgentEvent = { type: "tool_update", turn: state.open.turn, toolCallId, toolStatus: "denied" };
  return [{ ...state, requests, denied }, [resolved, update]];
}

function outcomeOf(action: string | undefined, option: PermissionOption | undefined) {
  if (action === "accept") return "answered";
  if (action === "decline") return "denied";
  if (option === undefined) return "cancelled";
  return option.kind.startsWith("allow") ? "allowed" : "denied";
}

function received(state: AcpState, message: AcpMessage): Step {
  if (!isFrame(message)) return [state, [unknownType("acp", "no JSON-RPC", message)]];
  if (message.method === undefined) return replied(state, message);
  const params = message.params ?? {};
  switch (message.method) {
    case "session/update":
      return updated(state, objectOf(params.update));
    case "session/request_permission":
      return permissionAsked(state, message.id ?? null, params);
    case "elicitation/create": {
      const pendingId = pendingIdOf(message.id);
      const event: AgentEvent = { type: "question_request", pendingId, turn: state.open.turn, ...questionsOf(params) };
      return [opened(state, message.id ?? null, { pendingId, options: [] }), [event]];
    }
    case "$/cancel_request":
      return withdrawn(state, params.requestId);
    default:
      return other(state, message);
  }
}

function opened(state: AcpState, id: string | number | null, request: Request): AcpState {
  return { ...state, requests: new Map(state.requests).set(id, request) };
}

const optionKinds = ["allow_once", "allow_always", "reject_once", "reject_always"] as const;

function permissionAsked(state: AcpState, id: string | number | null, params: Json): Step {
  const toolCall = objectOf(params.toolCall);
  const toolCallId = textOf(toolCall.toolCallId);
  const pendingId = pendingIdOf(id);
  const options = listOf(params.options).flatMap((item) => {
    const option = objectOf(item);
    const optionId = textOf(option.optionId);
    // A kind we don't know could mean anything: it is offered as the cautious one.
    const kind = oneOf(optionKinds, option.kind) ?? "reject_once";
    return optionId === undefined ? [] : [{ id: optionId, label: textOf(option.name) ?? optionId, kind }];
  });
  const fields = toolFields(toolCall);
  const request: AgentEvent = {
    type: "permission_request",
    pendingId,
    turn: state.open.turn,
    toolCallId,
    permissionTitle: textOf(toolCall.title) ?? fields.kind ?? "the agent asks for permission",
    source: "protocol",
    actionType: kindOf(toolCall.kind) ?? "other",
    actionDetails: actionDetails(toolCall),
    permissionOptions: options,
    takesReason: false,
  };
  const known = toolCallId === undefined || state.tools.has(toolCallId);
  const next = opened(state, id, { pendingId, toolCallId, options });
  if (known) return [next, [request]];
  // Gemini asks before it ever mentions the call: people still want to see what they allowed.
  const call: AgentEvent = { type: "tool_call", turn: state.open.turn, ...wholeTool(toolCallId, fields) };
  return [{ ...next, tools: new Set(state.tools).add(toolCallId) }, [call, request]];
}

function withdrawn(state: AcpState, id: unknown): Step {
  const key = typeof id === "string" || typeof id === "number" ? id : null;
  const request = state.requests.get(key);
  if (request === undefined) return [state, []];
  const requests = new Map(state.requests);
  requests.delete(key);
  const { pendingId } = request;
  return [{ ...state, requests }, [{ type: "request_resolved", pendingId, outcome: "cancelled", by: "agent" }]];
}

function other(state: AcpState, message: AcpMessage): Step {
  const method = message.method ?? "";
  const known = wireTypes[method];
  if (known?.startsWith("ignored")) return [state, []];
  if (known === "mapped") {
    const text = `the agent asked for ${method}, which we don't offer: refused`;
    return [state, [{ type: "notice", turn: state.open.turn, code: "refused_request", text, data: message.params }]];
  }
  return [state, [unknownType("acp", method, message)]];
}

/** The agent answered a request of ours; in a log without our side, only the end of a turn can be told. */
function replied(state: AcpState, message: AcpMessage): Step {
  const asked = state.asked.get(message.id ?? null);
  const result = objectOf(message.result);
  const method = asked?.method ?? (result.stopReason === undefined ? guessMethod(message) : "session/prompt");
  const settled = asked === undefined ? state : forget(state, message.id ?? null);
  switch (method) {
    case "initialize":
      return [{ ...settled, agent: result }, []];
    case "session/new":
    case "session/load":
    case "session/resume":
    case "session/fork":
      return sessionOpened(settled, method, asked?.params ?? {}, message);
    case "session/prompt":
      return turnEnded(settled, asked?.turn ?? state.open.turn, message);
    case "session/set_config_option":
    case "session/set_mode":
    case "session/set_model":
      return optionSet(settled, method, asked?.params ?? {}, message);
    default:
      return [settled, []];
  }
}

function forget(state: AcpState, id: string | number | null): AcpState {
  const asked = new Map(state.asked);
  asked.delete(id);
  return { ...state, asked };
}

function guessMethod(message: AcpMessage): string {
  const result = objectOf(message.result);
  if (result.protocolVersion !== undefined) return "initialize";
  if (result.sessionId !== undefined) return "session/new";
  return message.error === undefined ? "" : "session/prompt";
}

function sessionOpened(state: AcpState, method: string, params: Json, message: AcpMessage): Step {
  if (message.error !== undefined) return [state, []]; // the opener throws it, with what to do
  const result = objectOf(message.result);
  const options = optionsOf(result);
  const info = objectOf(state.agent.agentInfo);
  const isNew = method === "session/new" || method === "session/fork";
  const sessionId = textOf(result.sessionId) ?? textOf(params.sessionId) ?? "";
  const status: AgentEvent = {
    type: "session_status",
    status: isNew ? "new" : "resumed",
    sessionId,
    agentVersion: textOf(info.version),
    resumedBy: isNew ? undefined : "native",
    can: capabilities(objectOf(state.agent.agentCapabilities)),
  };
  const events: AgentEvent[] = [status];
  if (options.length > 0) events.push({ type: "config_options", options });
  return [{ ...state, options, sessionId }, events];
}

function capabilities(agent: Json): ("steer" | "interrupt" | "resume" | "fork" | "images")[] {
  const session = objectOf(agent.sessionCapabilities);
  const can: ("steer" | "interrupt" | "resume" | "fork" | "images")[] = ["interrupt"];
  if (agent.loadSession === true || session.resume !== undefined) can.push("resume");
  if (session.fork !== undefined) can.push("fork");
  if (objectOf(agent.promptCapabilities).image === true) can.push("images");
  return can;
}

function turnEnded(state: AcpState, turn: string | undefined, message: AcpMessage): Step {
  if (turn === undefined || state.open.turn !== turn) return [state, []]; // already closed by us: an interrupt nobody obeyed
  const result = objectOf(message.result);
  const stopReason = stopReasonOf(result.stopReason);
  const failure = message.error ? promptError(turn, message.error) : hiddenError(turn, state);
  const outcome = failure ? "failed" : stopReason === "cancelled" ? "interrupted" : "completed";
  const complete: AgentEvent = { type: "complete", turn, outcome, stopReason, usage: usageOf(state, result) };
  if (failure) complete.reason = failure.message;
  const dangling = closingItems(state.open, "the turn ended");
  const events = failure ? [...dangling, failure, complete] : [...dangling, complete];
  return [{ ...state, failing: undefined, message: undefined, requests: new Map() }, events];
}

function promptError(turn: string, error: NonNullable<AcpMessage["error"]>): EventOf<"error"> {
  const data = objectOf(error.data);
  const details = textOf(data.details) ?? textOf(data.message);
  const text = [error.message ?? "the agent reported an error", details].filter((part) => part).join(": ");
  const code = error.code ?? 0;
  if (code === -32000) return errorEvent({ turn, message: text, category: "auth" });
  const status = code >= 400 && code < 600 ? code : undefined;
  // Gemini says 500 of all it can't place, of an unknown model too: then the words tell more.
  const worded = readApiError(text, status === 500 ? undefined : status);
  const found = worded.category === "other" ? readApiError(text, status) : worded;
  const kind = textOf(data.errorKind) ?? textOf(data.category) ?? "";
  return errorEvent({ turn, ...found, category: kindCategories[kind] ?? found.category });
}

const kindCategories: Readonly<Record<string, EventOf<"error">["category"]>> = {
  authentication_failed: "auth",
  auth: "auth",
  billing_error: "credits",
  credits: "credits",
  rate_limit: "rate_limit",
  model_not_found: "model",
  model: "model",
  server_error: "server",
  server: "server",
  network: "network",
  context: "context",
};

/** codex-acp ends a failed turn as `end_turn`, with the error as its last text; its thread status alone tells. */
function hiddenError(turn: string, { failing, lastText }: AcpState): EventOf<"error"> | undefined {
  if (failing === undefined) return undefined;
  return errorEvent({ turn, ...readApiError(failing || lastText || "the agent's thread has failed") });
}

function optionSet(state: AcpState, method: string, params: Json, message: AcpMessage): Step {
  if (message.error !== undefined) {
    const text = message.error.message ?? showJson(message.error.data) ?? "the agent refused the option";
    return [state, [{ type: "notice", turn: state.open.turn, code: "option_refused", text }]];
  }
  const fresh: readonly ConfigOption[] = optionsOf(objectOf(message.result));
  const id =
    method === "session/set_mode" ? "mode" : method === "session/set_model" ? "model" : textOf(params.configId);
  const value = textOf(params.modeId) ?? textOf(params.modelId) ?? (params.value as string | boolean | undefined);
  const changed = id !== undefined && value !== undefined ? withValue(state.options, id, value) : state.options;
  const options = fresh.length > 0 ? fresh : changed;
  return [{ ...state, options }, [{ type: "config_options", options: [...options] }]];
}
