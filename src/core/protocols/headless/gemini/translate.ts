import type { AgentEvent, Usage } from "../../../../contract/events.ts";
import type { Translator } from "../../../../contract/sessions/session.ts";
import { readApiError } from "../../api-error.ts";
import { errorEvent } from "../../category.ts";
import { type Json, listOf, numberOf, objectOf, oneOf, textOf } from "../../read.ts";
import { unknownType } from "../../unmapped.ts";
import {
  begin,
  type Conversation,
  end,
  headlessTranslator,
  identify,
  newConversation,
  type Step,
  turnOf,
} from "../conversation.ts";
import { describeTool } from "../tools.ts";
import { documentUsage, isDocument } from "./document.ts";
import { type WireType, wireTypes } from "./messages.ts";
import { geminiDiffs, geminiTools } from "./tools.ts";

export interface GeminiState extends Conversation {
  readonly model?: string;
  /** Messages have no ids: what is said between two tools is one message. */
  readonly message: number;
}

const fresh = (state: GeminiState): GeminiState => ({ ...state, message: 1 });

export const geminiTranslator: Translator<Json, GeminiState> = headlessTranslator<GeminiState>({
  initial: { ...newConversation, model: undefined, message: 1 },
  fresh,
  received(state, line) {
    const type = textOf(line.type);
    if (isDocument(line)) return document(state, line);
    if (!isWireType(type)) return [state, [unknownType("gemini", type, line)]];
    if (type === "init") return opened(state, line);
    if (state.open.turn === undefined) return outsideTurn(state, type, line);
    return steps[type](state, line);
  },
});

const isWireType = (type: string | undefined): type is WireType => type !== undefined && Object.hasOwn(wireTypes, type);

function opened(state: GeminiState, line: Json): Step<GeminiState> {
  const [begun, started] = begin(state, fresh);
  const [next, known] = identify(begun, textOf(line.session_id), ["interrupt", "resume"]);
  return [{ ...next, model: textOf(line.model) ?? state.model }, [...started, ...known]];
}

/** `-o json`: the whole turn at its end. */
function document(state: GeminiState, line: Json): Step<GeminiState> {
  const [next, opening] = opened(state, line);
  const turn = turnOf(next);
  const text = textOf(line.response) ?? "";
  const said: AgentEvent[] = text === "" ? [] : [{ type: "message_chunk", turn, messageId: `${turn}.m1`, text }];
  const usage = documentUsage(objectOf(line.stats));
  const [ended, ending] =
    line.error === undefined
      ? end(next, { outcome: "completed", stopReason: "end_turn", usage })
      : fail(next, objectOf(line.error), { usage });
  return [ended, [...opening, ...said, ...ending]];
}

/** A log cut at its head: what follows still belongs to a turn, except the end of one we know nothing of. */
function outsideTurn(state: GeminiState, type: Exclude<WireType, "init">, line: Json): Step<GeminiState> {
  if (type === "result" && state.turns > 0) return [state, []];
  const [begun, started] = begin(state, fresh);
  const [next, events] = steps[type](begun, line);
  return [next, [...started, ...events]];
}

const steps: Readonly<Record<Exclude<WireType, "init">, (state: GeminiState, line: Json) => Step<GeminiState>>> = {
  message(state, line) {
    const text = textOf(line.content) ?? "";
    if (line.role !== "assistant" || text === "") return [state, []];
    const turn = turnOf(state);
    return [state, [{ type: "message_chunk", turn, messageId: `${turn}.m${state.message}`, text }]];
  },

  tool_use(state, line) {
    const toolName = textOf(line.tool_name) ?? "tool";
    const toolArgs = objectOf(line.parameters);
    const call: AgentEvent = {
      type: "tool_call",
      turn: turnOf(state),
      toolCallId: textOf(line.tool_id) ?? `${turnOf(state)}.${toolName}`,
      ...describeTool(geminiTools, toolName, toolArgs),
      toolArgs,
      toolStatus: "running",
      diffs: geminiDiffs(toolName, toolArgs),
    };
    const next = { ...state, message: state.message + 1 };
    return toolName === "write_todos" ? [next, [call, planOf(state, toolArgs)]] : [next, [call]];
  },

  tool_result(state, line) {
    const toolCallId = textOf(line.tool_id);
    if (toolCallId === undefined) return [state, [unknownType("gemini", "tool_result", line)]];
    const error = objectOf(line.error);
    const denied = error.type === "policy_violation" || error.type === "permission_denied";
    const toolStatus = line.status === "success" ? "completed" : denied ? "denied" : "failed";
    const result = textOf(line.output) ?? textOf(error.message);
    return [state, [{ type: "tool_update", turn: turnOf(state), toolCallId, toolStatus, result }]];
  },

  error(state, line) {
    const turn = turnOf(state);
    const text = textOf(line.message) ?? "gemini reported an error without a message";
    if (line.severity !== "error") return [state, [{ type: "notice", turn, code: "agent_warning", text }]];
    return [state, [errorEvent({ turn, ...readApiError(text) })]];
  },

  result(state, line) {
    const stats = objectOf(line.stats);
    const figures = { usage: usageOf(stats, state.model), durationMs: numberOf(stats.duration_ms) };
    if (line.status === "success") return end(state, { outcome: "completed", stopReason: "end_turn", ...figures });
    return fail(state, objectOf(line.error), figures);
  },
};

function fail(
  state: GeminiState,
  { type, message }: Json,
  figures: { usage: Usage | undefined; durationMs?: number },
): Step<GeminiState> {
  const trouble = readApiError(
    (textOf(message) ?? "gemini failed without a message").replace(/^\[API Error: (.*)\]$/s, "$1"),
  );
  const stopReason = type === "FatalTurnLimitedError" ? "max_turns" : undefined;
  const how = { outcome: "failed", stopReason, reason: trouble.message, ...figures } as const;
  return end(state, how, errorEvent({ turn: turnOf(state), ...trouble }));
}

/** gemini counts thoughts in the total alone; here `output` is what is billed as output, thoughts included. */
function usageOf(stats: Json, model: string | undefined): Usage | undefined {
  const [total, prompt] = [numberOf(stats.total_tokens) ?? 0, numberOf(stats.input_tokens) ?? 0];
  if (total === 0) return undefined;
  const cacheRead = numberOf(stats.cached) ?? 0;
  const answer = numberOf(stats.output_tokens) ?? 0;
  const reasoning = Math.max(0, total - prompt - answer);
  return { input: Math.max(0, prompt - cacheRead), output: answer + reasoning, cacheRead, reasoning, model };
}

const todoStates = ["pending", "in_progress", "completed", "cancelled"] as const;

function planOf(state: GeminiState, args: Json): AgentEvent {
  const entries = listOf(args.todos).map((item) => {
    const todo = objectOf(item);
    const status = oneOf(todoStates, todo.status) ?? "pending";
    return { text: textOf(todo.description) ?? "", status };
  });
  return { type: "plan", turn: turnOf(state), entries };
}
