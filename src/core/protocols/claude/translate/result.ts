import type { AgentEvent, ErrorCategory, EventOf, Usage } from "../../../../contract/events.ts";
import { closingItems } from "../../../../contract/sessions/open-items.ts";
import { addUsage } from "../../../../contract/sessions/transcript.ts";
import { categoryOfStatus, errorEvent } from "../../category.ts";
import { type Json, listOf, numberOf, objectOf, oneOf, textOf } from "../../read.ts";
import type { ClaudeMessage } from "../messages.ts";
import { askedFor } from "./asks.ts";
import { tellContext, usageOf } from "./figures.ts";
import {
  type ApiError,
  andThen,
  beginTurn,
  type ClaudeState,
  ensureTurn,
  type Step,
  silent,
  type Turn,
} from "./state.ts";

/** The end of a run of the agent's loop, and with it of the turn, unless the run was about something else. */
export function result(state: ClaudeState, message: ClaudeMessage): Step {
  const couldNotStart = state.turn === undefined && message.is_error === true && message.num_turns === 0;
  if (couldNotStart) return [state, [trouble(undefined, message, undefined)]];
  return andThen(ensureTurn(state), (next) => {
    const counted = counting(next, message);
    return isOfAnother(counted.turn, message) ? [counted, []] : andThen(completed(counted, message), takeUpWaiting);
  });
}

/**
 * A prompt that arrives while the agent woke up by itself (a background task ended) runs after that: the first result is
 * not its own. Turns whose message has no uuid, and CLIs that don't repeat it, take any result for theirs.
 */
function isOfAnother(turn: Turn | undefined, message: ClaudeMessage): boolean {
  if (turn?.uuid === undefined) return false;
  const uuids = listOf(message.user_message_uuids);
  if (uuids.length > 0) return !uuids.includes(turn.uuid);
  return objectOf(message.origin).kind === "task-notification";
}

function completed(state: ClaudeState, message: ClaudeMessage): Step {
  const { turn } = state;
  if (turn === undefined) return [state, []];
  const text = textOf(message.result) ?? "";
  // A slash command answers in its result alone.
  const unheard = !turn.spoke && message.is_error !== true && text !== "";
  const said: AgentEvent = { type: "message_chunk", turn: turn.id, messageId: `${turn.id}/result`, text };
  return andThen(andThen([state, unheard ? [said] : []], closeItems), (closed) =>
    andThen(tellContext(closed), (told) => [ended(told, message), lastWords(turn, message)]),
  );
}

function lastWords(turn: Turn, message: ClaudeMessage): AgentEvent[] {
  const end = ending(turn, message);
  const durationMs = numberOf(message.duration_ms);
  const complete: AgentEvent = { type: "complete", turn: turn.id, ...end, usage: turn.settled, durationMs };
  return end.outcome === "failed" ? [trouble(turn.id, message, turn.apiError), complete] : [complete];
}

/** A result that names no messages at all comes from a CLI that never does; then what waits shows up by itself. */
function ended(state: ClaudeState, message: ClaudeMessage): ClaudeState {
  const consumed = listOf(message.user_message_uuids);
  const isNamed = consumed.length > 0 || message.origin !== undefined;
  const waiting = isNamed ? state.waiting.filter((uuid) => !consumed.includes(uuid)) : [];
  return { ...state, turn: undefined, waiting, main: silent, denied: new Set() };
}

/** What was sent into the finished turn and not taken up by it runs next, as a turn of its own. */
function takeUpWaiting(state: ClaudeState): Step {
  const [uuid, ...waiting] = state.waiting;
  return uuid === undefined ? [state, []] : beginTurn({ ...state, waiting }, uuid);
}

/** Tools and requests left open by the turn; what a sub-agent does in the background goes on. */
function closeItems(state: ClaudeState): Step {
  const { open, background } = state;
  const tools = new Set([...open.tools].filter((id) => !background.has(id)));
  const requests = new Map([...open.requests].filter(([id]) => askedFor(state, id)?.agentId === undefined));
  if (tools.size + requests.size === 0) return [state, []];
  const asks = new Map(state.asks);
  for (const id of requests.keys()) asks.set(id, "closed");
  return [{ ...state, asks }, closingItems({ turn: open.turn, tools, requests }, "the turn has ended")];
}

type Ending = Pick<EventOf<"complete">, "outcome" | "stopReason" | "reason">;
const stopReasons = ["end_turn", "max_tokens", "refusal"] as const;

function ending(turn: Turn, message: ClaudeMessage): Ending {
  const terminal = textOf(message.terminal_reason);
  const aborted = terminal === "aborted_streaming" || terminal === "aborted_tools";
  if (aborted || (turn.interrupted && message.is_error === true)) {
    return { outcome: "interrupted", stopReason: "cancelled" };
  }
  const reason = message.is_error === true ? reasonOf(message, turn.apiError) : undefined;
  if (message.subtype === "error_max_turns") return { outcome: "failed", stopReason: "max_turns", reason };
  if (message.is_error === true) return { outcome: "failed", reason };
  return { outcome: "completed", stopReason: oneOf(stopReasons, message.stop_reason) };
}

function reasonOf(message: ClaudeMessage, apiError: ApiError | undefined): string {
  const told =
    textOf(message.result) ||
    listOf(message.errors)
      .filter((error) => typeof error === "string")
      .join("\n");
  return told || apiError?.text || textOf(message.subtype) || "the agent gave no reason";
}

const categories: Readonly<Record<string, ErrorCategory>> = {
  authentication_failed: "auth",
  oauth_org_not_allowed: "auth",
  account_on_hold: "auth",
  verification_required: "auth",
  cloud_credential_error: "auth",
  billing_error: "credits",
  rate_limit: "rate_limit",
  overloaded: "server",
  model_not_found: "model",
  server_error: "server",
  prompt_too_long: "context",
  blocking_limit: "context",
  connection_failed: "network",
};

/** The nearest cause wins: how the call failed, why the loop ended, the name of the error, its HTTP status. */
export function categoryOf(message: Json, name: string | undefined): ErrorCategory {
  for (const key of [message.api_error, message.terminal_reason, name]) {
    const category = typeof key === "string" ? categories[key] : undefined;
    if (category !== undefined) return category;
  }
  return categoryOfStatus(numberOf(message.api_error_status));
}

function trouble(turn: string | undefined, message: ClaudeMessage, apiError: ApiError | undefined): AgentEvent {
  return errorEvent({
    turn,
    message: reasonOf(message, apiError),
    category: categoryOf(message, apiError?.name),
    httpStatus: numberOf(message.api_error_status),
  });
}

/** Adds this run's figures to the turn, and remembers what is cumulative on the wire. */
function counting(state: ClaudeState, message: ClaudeMessage): ClaudeState {
  if (state.turn === undefined) return state;
  const usage = usageOfRun(state, message);
  const { settled } = state.turn;
  const size = windowSize(objectOf(message.modelUsage), state.context.model) ?? state.context.size;
  return {
    ...state,
    cost: numberOf(message.total_cost_usd) ?? state.cost,
    context: { ...state.context, size },
    turn: { ...state.turn, live: undefined, settled: settled === undefined ? usage : addUsage(settled, usage) },
  };
}

/** `usage` leaves sub-agents out, so the figures per model are preferred. An aborted call is reported as nothing, yet paid. */
function usageOfRun(state: ClaudeState, message: ClaudeMessage): Usage {
  const { model } = state.context;
  const perModel = Object.values(objectOf(message.model_usage_since_last_result)).map(objectOf);
  if (perModel.length > 0) return { ...perModel.map(modelUsage).reduce(addUsage), model };
  const usage = usageOf(objectOf(message.usage), model);
  if (usage.input + usage.output === 0 && state.turn?.live !== undefined) return state.turn.live;
  const costUsd = costSince(state, message);
  return costUsd === undefined ? usage : { ...usage, costUsd, costSource: "reported" };
}

function modelUsage(usage: Json): Usage {
  return {
    input: numberOf(usage.inputTokens) ?? 0,
    output: numberOf(usage.outputTokens) ?? 0,
    cacheRead: numberOf(usage.cacheReadInputTokens),
    cacheWrite: numberOf(usage.cacheCreationInputTokens),
    reasoning: numberOf(usage.thinkingTokens),
    costUsd: numberOf(usage.costUSD),
    costSource: "reported",
  };
}

/** The total counts on after a resume, so the first difference of a resumed conversation is unknown; /clear sets it to 0. */
function costSince(state: ClaudeState, message: ClaudeMessage): number | undefined {
  const total = numberOf(message.total_cost_usd);
  if (total === undefined || (state.cost === undefined && state.opening.resumed)) return undefined;
  const before = state.cost ?? 0;
  return total >= before ? total - before : total;
}

function windowSize(models: Json, model: string | undefined): number | undefined {
  const own = model === undefined ? undefined : numberOf(objectOf(models[model]).contextWindow);
  const all = Object.values(models).flatMap((usage) => numberOf(objectOf(usage).contextWindow) ?? []);
  return own ?? (all.length > 0 ? Math.max(...all) : undefined);
}
