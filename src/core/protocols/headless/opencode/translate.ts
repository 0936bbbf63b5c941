import type { AgentEvent, ErrorCategory, EventOf, Usage } from "../../../../contract/events.ts";
import type { Translator } from "../../../../contract/sessions/session.ts";
import { type ApiError, readApiError } from "../../api-error.ts";
import { errorEvent } from "../../category.ts";
import { type Json, numberOf, objectOf, textOf } from "../../read.ts";
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
import { type WireType, wireTypes } from "./messages.ts";
import { planOf, toolOf } from "./tools.ts";

export interface OpencodeState extends Conversation {
  /** Between step_start and step_finish: the server answers, tools run. */
  readonly inStep: boolean;
  /** A step of this turn has ended, so an exit in order may be the turn's end. */
  readonly stepped: boolean;
  readonly usage?: Usage;
  /** Text parts of this turn as far as they were passed on, by id. */
  readonly said: ReadonlyMap<string, string>;
  /** Tool calls seen in this turn. */
  readonly called: ReadonlySet<string>;
}

const nothingSaid: OpencodeState["said"] = new Map();
const noneCalled: OpencodeState["called"] = new Set();

const fresh = (state: Conversation): OpencodeState => ({
  ...state,
  inStep: false,
  stepped: false,
  usage: undefined,
  said: nothingSaid,
  called: noneCalled,
});

export const opencodeTranslator: Translator<Json, OpencodeState> = headlessTranslator<OpencodeState>({
  initial: fresh(newConversation),
  fresh,
  received(state, line) {
    const type = textOf(line.type);
    if (type === undefined || !isWireType(type)) return [state, [unknownType("opencode", type, line)]];
    const body = type === "error" ? objectOf(line.error) : objectOf(line.part);
    // Most lines belong to the turn and the conversation that are under way.
    if (state.begun && state.open.turn !== undefined && state.sessionId === line.sessionID)
      return steps[type](state, body);
    const [begun, started] = state.open.turn === undefined || !state.begun ? begin(state, fresh) : [state, []];
    const [known, status] = identify(begun, textOf(line.sessionID), ["interrupt", "resume", "fork"]);
    const [next, events] = steps[type](known, body);
    return [next, [...started, ...status, ...events]];
  },
  usage: (state) => state.usage,
  // It stops without another word when a tool was refused.
  isDone: (state) => state.stepped && !state.inStep,
});

const isWireType = (type: string): type is WireType => Object.hasOwn(wireTypes, type);

const steps: Readonly<Record<WireType, (state: OpencodeState, part: Json) => Step<OpencodeState>>> = {
  step_start: (state) => [{ ...state, inStep: true }, []],
  text: (state, part) => say(state, "message_chunk", part),
  reasoning: (state, part) => say(state, "reasoning", part),

  tool_use(state, part) {
    const turn = turnOf(state);
    const toolCallId = textOf(part.id) ?? textOf(part.callID) ?? `${turn}.tool`;
    const tool = { turn, toolCallId, ...toolOf(part) };
    const isKnown = state.called.has(toolCallId);
    const events: AgentEvent[] = [isKnown ? { type: "tool_update", ...tool } : { type: "tool_call", ...tool }];
    if (tool.toolName === "todowrite") events.push(planOf(turn, tool.toolArgs));
    return [{ ...state, called: new Set(state.called).add(toolCallId) }, events];
  },

  step_finish(state, part) {
    const usage = added(state.usage, part);
    const next = { ...state, usage, inStep: false, stepped: true };
    const stopReason = stopReasons.get(part.reason);
    // "unknown" too: some servers name no reason, and opencode looks for tool calls itself.
    if (stopReason === undefined) return [next, [{ type: "usage", turn: turnOf(state), usage }]];
    return end(next, { outcome: "completed", stopReason, usage });
  },

  error(state, error) {
    const turn = turnOf(state);
    const data = objectOf(error.data);
    const name = textOf(error.name) ?? "error";
    if (name === "MessageAbortedError") return end({ ...state, interrupted: "aborted" }, { outcome: "failed" });
    const said = readApiError(textOf(data.message) ?? name, numberOf(data.statusCode));
    const event = errorEvent({ turn, ...said, category: categoryOf(name, said, data) });
    if (name === "ContextOverflowError") return [state, [event]];
    return end(state, { outcome: "failed", reason: said.message, usage: state.usage }, event);
  },
};

function categoryOf(name: string, said: ApiError, data: Json): ErrorCategory {
  if (name === "ContextOverflowError") return "context";
  if (name === "ProviderAuthError") return "auth";
  return said.category === "other"
    ? readApiError(textOf(data.responseBody) ?? "", said.httpStatus).category
    : said.category;
}

const stopReasons: ReadonlyMap<unknown, EventOf<"complete">["stopReason"]> = new Map([
  ["stop", "end_turn"],
  ["length", "max_tokens"],
  ["content-filter", "refusal"],
]);

/** Parts come whole; one that comes again is longer, or was rewritten. */
function say(state: OpencodeState, type: "message_chunk" | "reasoning", part: Json): Step<OpencodeState> {
  const messageId = textOf(part.id) ?? `${turnOf(state)}.${type}`;
  const text = textOf(part.text) ?? "";
  const before = state.said.get(messageId) ?? "";
  if (text === before) return [state, []];
  const said = state.said.size === 0 ? new Map([[messageId, text]]) : new Map(state.said).set(messageId, text);
  const isLonger = text.startsWith(before);
  const event: AgentEvent = { type, turn: turnOf(state), messageId, text: isLonger ? text.slice(before.length) : text };
  if (!isLonger) event.replace = true;
  return [{ ...state, said }, [event]];
}

/** opencode counts thoughts beside the output; here `output` is what is billed as output, thoughts included. */
function added(before: Usage | undefined, part: Json): Usage {
  const tokens = objectOf(part.tokens);
  const cache = objectOf(tokens.cache);
  const reasoning = numberOf(tokens.reasoning) ?? 0;
  const costUsd = (before?.costUsd ?? 0) + (numberOf(part.cost) ?? 0);
  const usage: Usage = {
    input: (before?.input ?? 0) + (numberOf(tokens.input) ?? 0),
    output: (before?.output ?? 0) + (numberOf(tokens.output) ?? 0) + reasoning,
    cacheRead: (before?.cacheRead ?? 0) + (numberOf(cache.read) ?? 0),
    cacheWrite: (before?.cacheWrite ?? 0) + (numberOf(cache.write) ?? 0),
    reasoning: (before?.reasoning ?? 0) + reasoning,
  };
  // A price of 0 is what opencode says of models whose price it doesn't know.
  return costUsd > 0 ? { ...usage, costUsd, costSource: "reported" } : usage;
}
