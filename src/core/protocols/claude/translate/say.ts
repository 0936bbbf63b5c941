import type { AgentEvent } from "../../../../contract/events.ts";
import { type Json, listOf, numberOf, objectOf, textOf } from "../../read.ts";
import { type ClaudeMessage } from "../messages.ts";
import { knowing, measured } from "./figures.ts";
import { andThen, type ClaudeState, ensureTurn, type Saying, type Step, silent, unmapped } from "./state.ts";
import { describeTool, planOf } from "./tools.ts";

/** A piece of the message that is being generated (only with --include-partial-messages). */
export function streamed(state: ClaudeState, message: ClaudeMessage): Step {
  const event = objectOf(message.event);
  const parent = textOf(message.parent_tool_use_id);
  const saying = sayingOf(state, parent);
  switch (event.type) {
    case "message_start": {
      const begun = { ...silent, id: textOf(objectOf(event.message).id) ?? "" };
      return andThen(parent === undefined ? ensureTurn(state) : [state, []], (next) => [
        withSaying(next, parent, begun),
        [],
      ]);
    }
    case "content_block_start": {
      const kind = textOf(objectOf(event.content_block).type);
      return [
        withSaying(state, parent, { ...saying, index: numberOf(event.index) ?? saying.index + 1, kind, said: 0 }),
        [],
      ];
    }
    case "content_block_delta": {
      const delta = objectOf(event.delta);
      const text = textOf(delta.text) ?? textOf(delta.thinking) ?? "";
      if (text === "") return [state, []];
      const next = withSaying(state, parent, { ...saying, said: saying.said + text.length });
      return [spoken(next, parent), [chunk(state, parent, saying, text)]];
    }
    case "content_block_stop":
      return [withSaying(state, parent, { ...saying, kind: undefined }), []];
    case "message_delta":
      return parent === undefined ? measured(state, objectOf(event.usage)) : [state, []];
    default:
      return [state, []];
  }
}

/** One whole block (the CLI sends them one by one): of what was streamed it repeats nothing. */
export function assistant(state: ClaudeState, message: ClaudeMessage): Step {
  const parent = textOf(message.parent_tool_use_id);
  const body = objectOf(message.message);
  if (parent !== undefined) return blocks(state, message, parent);
  return andThen(ensureTurn(state), (next) => {
    if (message.is_api_error_message === true || message.error !== undefined) return [failed(next, message, body), []];
    return andThen([knowing(next, body), []], (known) => blocks(known, message, parent));
  });
}

function blocks(state: ClaudeState, message: ClaudeMessage, parent: string | undefined): Step {
  const body = objectOf(message.message);
  const id = textOf(body.id) ?? "";
  let step: Step = [sayingOf(state, parent).id === id ? state : withSaying(state, parent, { ...silent, id }), []];
  for (const item of listOf(body.content)) {
    step = andThen(step, (next) => block(next, message, objectOf(item), parent));
  }
  return step;
}

function block(state: ClaudeState, message: ClaudeMessage, content: Json, parent: string | undefined): Step {
  const before = sayingOf(state, parent);
  const isStreamed = before.kind === content.type;
  const saying = isStreamed ? before : { ...before, index: before.index + 1, kind: textOf(content.type), said: 0 };
  switch (content.type) {
    case "text":
    case "thinking": {
      const text = textOf(content.text) ?? textOf(content.thinking) ?? "";
      const rest = text.slice(saying.said);
      const done: Saying = { ...saying, said: text.length, kind: isStreamed ? saying.kind : undefined };
      if (rest === "") return [withSaying(state, parent, done), []];
      return [spoken(withSaying(state, parent, done), parent), [chunk(state, parent, saying, rest)]];
    }
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return [
        starting(withSaying(state, parent, isStreamed ? saying : { ...saying, kind: undefined }), content, parent),
        toolCall(state, content, parent),
      ];
    case "redacted_thinking":
    case "web_search_tool_result":
    case "web_fetch_tool_result":
      return [withSaying(state, parent, isStreamed ? saying : { ...saying, kind: undefined }), []];
    default:
      return [state, [unmapped(message, `assistant:${String(content.type)}`)]];
  }
}

function toolCall(state: ClaudeState, content: Json, parent: string | undefined): AgentEvent[] {
  const turn = state.turn?.id;
  const name = textOf(content.name) ?? "unknown";
  const input = objectOf(content.input);
  const toolCallId = textOf(content.id) ?? "";
  const described = describeTool(name, input);
  const call: AgentEvent = {
    type: "tool_call",
    turn,
    toolCallId,
    parentToolCallId: parent,
    ...described,
    toolStatus: "running",
  };
  const plan = parent === undefined ? planOf(name, input) : undefined;
  return plan === undefined ? [call] : [call, { type: "plan", turn, ...plan }];
}

/** What a sub-agent in the background starts goes on with it. */
function starting(state: ClaudeState, content: Json, parent: string | undefined): ClaudeState {
  if (parent === undefined || !state.background.has(parent)) return state;
  return { ...state, background: new Set(state.background).add(textOf(content.id) ?? "") };
}

function chunk(state: ClaudeState, parent: string | undefined, saying: Saying, text: string): AgentEvent {
  const type = saying.kind === "thinking" ? "reasoning" : "message_chunk";
  const messageId = `${saying.id}/${saying.index}`;
  return { type, turn: state.turn?.id, messageId, parentToolCallId: parent, text };
}

const sayingOf = (state: ClaudeState, parent: string | undefined): Saying =>
  parent === undefined ? state.main : (state.subagents.get(parent) ?? silent);

function withSaying(state: ClaudeState, parent: string | undefined, saying: Saying): ClaudeState {
  if (parent === undefined) return { ...state, main: saying };
  return { ...state, subagents: new Map(state.subagents).set(parent, saying) };
}

function spoken(state: ClaudeState, parent: string | undefined): ClaudeState {
  if (parent !== undefined || state.turn === undefined || state.turn.spoke) return state;
  return { ...state, turn: { ...state.turn, spoke: true } };
}

/** The text of a failed API call is no answer: it becomes the error that ends the turn. */
function failed(state: ClaudeState, message: ClaudeMessage, body: Json): ClaudeState {
  const text = listOf(body.content)
    .map((item) => textOf(objectOf(item).text) ?? "")
    .join("\n");
  return state.turn === undefined
    ? state
    : { ...state, turn: { ...state.turn, apiError: { name: textOf(message.error), text } } };
}
