import type { AgentEvent, EventOf } from "../../../contract/events.ts";
import { closing, closingItems, track } from "../../../contract/sessions/open-items.ts";
import type { Translator } from "../../../contract/sessions/session.ts";
import { errorEvent } from "../category.ts";
import { isFrame } from "../json-rpc.ts";
import { type Json, numberOf, objectOf, textOf } from "../read.ts";
import { answered, asked, isAsk, withdrawn } from "./asks.ts";
import { errorOf, troubleOf } from "./errors.ts";
import { planOf, rateLimits, tokensUsed, usageOfTurn } from "./figures.ts";
import { delta, isOfMain, itemCompleted, itemStarted, toolOutput } from "./items.ts";
import { type CodexMessage, DEADLINE_ID, isKnown } from "./messages.ts";
import { changed, modelsOf, settingsOf } from "./options.ts";
import { andThen, beginTurn, type CodexState, initial, type Step, unmapped } from "./state.ts";

export const codexTranslator: Translator<CodexMessage, CodexState> = {
  initial,
  step(state, { dir, message }) {
    const [next, events] = dir === "sent" ? sent(state, message) : received(state, message);
    if (events.length === 0) return [next, events];
    const open = events.reduce(track, next.open);
    return [open === next.open ? next : { ...next, open }, events];
  },
  finish: (state, reason) => {
    const asked = state.turn?.interrupted === true && state.turn.failing === undefined;
    return closing(state.open, state.turn?.failing ?? reason, asked ? "interrupted" : "failed");
  },
};

function sent(state: CodexState, message: CodexMessage): Step {
  const { id, method, params = {} } = message;
  if (method === undefined) return answered(state, message);
  const next = id === undefined ? state : { ...state, issued: new Map(state.issued).set(id, method) };
  switch (method) {
    case "turn/start":
      return andThen(given(next), (free) =>
        andThen(changed(free, settingsOf(params)), (ready) => beginTurn(ready, { requestId: id })),
      );
    case "turn/interrupt":
      return interrupting(next, String(id).startsWith(DEADLINE_ID));
    default:
      return [next, []];
  }
}

/** A new turn while the old one won't end: the layer above has given the old one up. */
function given(state: CodexState): Step {
  return state.turn === undefined ? [state, []] : ended(state, { outcome: "interrupted", reason: "it did not end" });
}

function interrupting(state: CodexState, isDeadline: boolean): Step {
  if (state.turn === undefined) return [state, []];
  if (!isDeadline) return [{ ...state, turn: { ...state.turn, interrupted: true } }, []];
  const message = "codex can't reach its model's server and would wait for ever";
  const turn = { ...state.turn, interrupted: true, errorTold: true, failing: message };
  return [{ ...state, turn }, [errorEvent({ turn: turn.id, message, category: "network" })]];
}

function received(state: CodexState, message: CodexMessage): Step {
  if (!isFrame(message)) return [state, [unmapped(message, "no JSON-RPC")]];
  const { method } = message;
  if (method === undefined) return responded(state, message);
  if (isAsk(method)) return asked(state, message);
  const params = message.params ?? {};
  switch (method) {
    case "item/started":
      return itemStarted(state, message);
    case "item/completed":
      return itemCompleted(state, message);
    case "item/agentMessage/delta":
      return delta(state, message, "message_chunk");
    case "item/reasoning/summaryTextDelta":
    case "item/reasoning/summaryPartAdded":
    case "item/reasoning/textDelta":
      return delta(state, message, "reasoning");
    case "item/commandExecution/outputDelta":
    case "item/fileChange/outputDelta":
    case "item/fileChange/patchUpdated":
    case "item/mcpToolCall/progress":
      return toolOutput(state, message);
    case "serverRequest/resolved":
      return withdrawn(state, params.requestId);
    case "account/rateLimits/updated":
      return [state, rateLimits(params)];
    case "thread/started":
      return objectOf(params.thread).parentThreadId ? [state, []] : introduced(state, objectOf(params.thread), "new");
    case "mcpServer/startupStatus/updated":
      return [state, params.status === "failed" ? [notice(state, "mcp_failed", mcpFailure(params))] : []];
    case "warning":
    case "guardianWarning":
    case "modelProvider/authRecoveryStarted":
      return [state, [notice(state, "warning", textOf(params.message) ?? "")]];
    case "configWarning":
    case "deprecationNotice":
      return [state, [notice(state, "warning", textOf(params.summary) ?? "")]];
    default:
      if (!isKnown(method)) return [state, [unmapped(message, method)]];
      return isOfMain(state, message) ? ofThread(state, method, params) : [state, []];
  }
}

/** What counts for the conversation's own thread only: a sub-agent's turns are not ours. */
function ofThread(state: CodexState, method: string, params: Json): Step {
  switch (method) {
    case "turn/started":
      return turnStarted(state, textOf(objectOf(params.turn).id));
    case "turn/completed":
      return turnCompleted(state, objectOf(params.turn));
    case "turn/plan/updated":
      return [state, [{ type: "plan", turn: state.turn?.id, ...planOf(params) }]];
    case "thread/tokenUsage/updated":
      return tokensUsed(state, params);
    case "thread/settings/updated":
      return changed(state, settingsOf(objectOf(params.threadSettings)));
    case "thread/name/updated": {
      const title = textOf(params.threadName);
      if (title === undefined || state.threadId === undefined) return [state, []];
      return [state, [{ type: "session_status", status: "updated", sessionId: state.threadId, title }]];
    }
    case "model/rerouted": {
      const text = `${String(params.fromModel)} was replaced by ${String(params.toModel)}: ${String(params.reason)}`;
      return [state, [notice(state, "model_fallback", text, { model: params.toModel })]];
    }
    case "error":
      return failing(state, params);
    default:
      return [state, []];
  }
}

/** Answers are known by what they carry, so that a log of the agent's side alone reads the same. */
function responded(state: CodexState, { id, result, error }: CodexMessage): Step {
  const method = id === undefined ? undefined : state.issued.get(id);
  const issued = new Map(state.issued);
  if (id !== undefined) issued.delete(id);
  const next = { ...state, issued };
  if (error !== undefined) return method === "turn/start" ? refused(next, id, error) : [next, []];
  const { thread, turn, userAgent, data } = objectOf(result);
  if (typeof userAgent === "string") return [{ ...next, version: /^[^/]+\/(\S+)/.exec(userAgent)?.[1] }, []];
  if (thread !== undefined) {
    const status = method === "thread/resume" || method === "thread/fork" ? "resumed" : "new";
    return andThen(introduced(next, objectOf(thread), status), (known) => changed(known, settingsOf(objectOf(result))));
  }
  if (turn !== undefined) return turnStarted(next, textOf(objectOf(turn).id));
  if (method === "model/list" && data !== undefined) return changed(next, { models: modelsOf(objectOf(result)) });
  return [next, []];
}

function introduced(state: CodexState, thread: Json, status: "new" | "resumed"): Step {
  const sessionId = textOf(thread.id);
  if (sessionId === undefined || sessionId === state.threadId) return [state, []];
  const told: AgentEvent = {
    type: "session_status",
    status: state.threadId === undefined ? status : "updated",
    sessionId,
    title: textOf(thread.name),
    agentVersion: state.version ?? textOf(thread.cliVersion),
    resumedBy: status === "resumed" ? "native" : undefined,
    can: ["steer", "interrupt", "resume", "fork", "images"],
  };
  return [{ ...state, threadId: sessionId, resumed: status === "resumed" }, [told]];
}

/** From the answer to turn/start or from the notification, in either order; or codex began one by itself. */
function turnStarted(state: CodexState, codexId: string | undefined): Step {
  if (state.turn === undefined) return beginTurn(state, { codexId });
  if (state.turn.codexId !== undefined) return [state, []];
  return [{ ...state, turn: { ...state.turn, codexId } }, []];
}

function refused(state: CodexState, id: CodexMessage["id"], error: Json): Step {
  if (state.turn === undefined || state.turn.requestId !== id) return [state, []];
  const reason = textOf(error.message) ?? "refused by codex";
  const told = errorEvent({ turn: state.turn.id, message: reason, category: "other" });
  return andThen([state, [told]], (next) => ended(next, { outcome: "failed", reason }));
}

function failing(state: CodexState, params: Json): Step {
  const error = objectOf(params.error);
  if (params.willRetry === true) {
    const { message, category, httpStatus } = troubleOf(error);
    return [state, [notice(state, "retrying", message, { category, httpStatus })]];
  }
  const turn = state.turn === undefined ? undefined : { ...state.turn, errorTold: true };
  return [{ ...state, turn }, [errorOf(turn?.id, error)]];
}

/** A late end of a turn that was given up must not end its successor. */
function turnCompleted(state: CodexState, turn: Json): Step {
  const open = state.turn;
  if (open === undefined || (open.codexId !== undefined && open.codexId !== turn.id)) return [state, []];
  const durationMs = numberOf(turn.durationMs);
  if (open.failing !== undefined) return ended(state, { outcome: "failed", reason: open.failing, durationMs });
  if (turn.status === "interrupted")
    return ended(state, { outcome: "interrupted", stopReason: "cancelled", durationMs });
  if (turn.status !== "failed") return ended(state, { outcome: "completed", stopReason: "end_turn", durationMs });
  const error = objectOf(turn.error);
  const reason = troubleOf(error).message;
  const told: Step = [state, open.errorTold ? [] : [errorOf(open.id, error)]];
  return andThen(told, (next) => ended(next, { outcome: "failed", reason, durationMs }));
}

type End = Pick<EventOf<"complete">, "outcome" | "stopReason" | "reason" | "durationMs">;

/** Requests and tools that the turn left open end with it. */
function ended(state: CodexState, end: End): Step {
  const { turn } = state;
  if (turn === undefined) return [state, []];
  const events = closingItems(state.open, end.reason ?? "the turn has ended");
  const asks = new Map(state.asks);
  for (const pendingId of state.open.requests.keys()) asks.set(pendingId, "closed");
  events.push({ type: "complete", turn: turn.id, ...end, usage: usageOfTurn(state, turn) });
  return [{ ...state, asks, turn: undefined, said: new Map(), patches: new Map() }, events];
}

const notice = (state: CodexState, code: string, text: string, data?: unknown): AgentEvent => ({
  type: "notice",
  turn: state.turn?.id,
  code,
  text,
  data,
});

const mcpFailure = ({ name, error }: Json) =>
  `The MCP server ${String(name)} did not start: ${textOf(error) ?? "no reason given"}`;
