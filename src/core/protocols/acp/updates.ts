import type { AgentEvent } from "../../../contract/events.ts";
import { type Json, listOf, numberOf, objectOf, oneOf, textOf } from "../read.ts";
import { unknownType } from "../unmapped.ts";
import { wireTypes } from "./messages.ts";
import { configOption, withValue } from "./options.ts";
import type { AcpState } from "./state.ts";
import { toolFields, wholeTool } from "./tools.ts";

type Step = readonly [AcpState, readonly AgentEvent[]];

/** One `session/update`. In a log without our side, the first sign of work opens the turn. */
export function updated(state: AcpState, update: Json): Step {
  const kind = textOf(update.sessionUpdate) ?? "";
  if (state.loading && isHistory(kind)) return [state, []];
  const step = updates[kind];
  if (step === undefined) return unknown(state, kind, update);
  if (!isHistory(kind) || state.open.turn !== undefined || state.live) return step(state, update);
  const turn = `t${state.turns + 1}`;
  const begun = { ...state, turns: state.turns + 1, costBefore: state.cost, open: { ...state.open, turn } };
  const [next, events] = step(begun, update);
  return [next, [{ type: "turn_started", turn }, ...events]];
}

const isHistory = (kind: string) =>
  kind === "agent_message_chunk" ||
  kind === "agent_thought_chunk" ||
  kind === "tool_call" ||
  kind === "tool_call_update";

const updates: Readonly<Record<string, (state: AcpState, update: Json) => Step>> = {
  agent_message_chunk: (state, update) => chunk(state, "message_chunk", update),
  agent_thought_chunk: (state, update) => chunk(state, "reasoning", update),
  user_message_chunk: (state) => [state, []],
  tool_call: tool,
  tool_call_update: tool,
  plan,
  available_commands_update: commands,
  current_mode_update: (state, update) => optionChanged(state, "mode", textOf(update.currentModeId)),
  config_option_update: (state, update) => {
    const options = listOf(update.configOptions).flatMap(configOption);
    return [{ ...state, options }, [{ type: "config_options", options }]];
  },
  session_info_update: info,
  usage_update: usage,
};

function chunk(state: AcpState, type: "message_chunk" | "reasoning", update: Json): Step {
  const text = contentText(objectOf(update.content));
  if (text === "") return [state, []];
  const given = textOf(update.messageId);
  const same = state.message?.type === type && (given === undefined || given === state.message.id);
  const id = given ?? (same && state.message ? state.message.id : `m${state.messages + 1}`);
  const parentToolCallId = textOf(objectOf(objectOf(update._meta).claudeCode).parentToolUseId);
  const event: AgentEvent = { type, turn: state.open.turn, messageId: id, text };
  if (parentToolCallId !== undefined) event.parentToolCallId = parentToolCallId;
  const failing = state.failing === undefined ? undefined : state.failing + text;
  if (same) return [failing === undefined ? state : { ...state, failing }, [event]];
  const messages = given === undefined ? state.messages + 1 : state.messages;
  return [{ ...state, message: { type, id }, messages, lastText: text, failing }, [event]];
}

/** Text as it is; anything else by its name, since events carry text. */
function contentText(content: Json): string {
  if (content.type === "text") return textOf(content.text) ?? "";
  const resource = objectOf(content.resource);
  const name = textOf(content.uri) ?? textOf(resource.uri) ?? textOf(content.name) ?? textOf(content.mimeType);
  return textOf(resource.text) ?? `[${textOf(content.type) ?? "content"}${name === undefined ? "" : ` ${name}`}]`;
}

function tool(state: AcpState, update: Json): Step {
  const toolCallId = textOf(update.toolCallId);
  if (toolCallId === undefined) return unknown(state, "tool_call", update);
  const { turn } = state.open;
  const fields = toolFields(update);
  const apart: AcpState = state.message === undefined ? state : { ...state, message: undefined };
  if (!state.tools.has(toolCallId)) {
    const tools = new Set(state.tools).add(toolCallId);
    return [{ ...apart, tools }, [{ type: "tool_call", turn, ...wholeTool(toolCallId, fields) }]];
  }
  // After a refusal agents report the call as failed; what happened is that a person said no.
  if (state.denied.has(toolCallId) && fields.toolStatus !== undefined) fields.toolStatus = "denied";
  const outputChunk = textOf(objectOf(objectOf(update._meta).terminal_output).data);
  const event: AgentEvent = { type: "tool_update", turn, toolCallId, ...fields };
  if (outputChunk !== undefined) event.outputChunk = outputChunk;
  const says = Object.keys(fields).length > 0 || outputChunk !== undefined;
  return [apart, says ? [event] : []];
}

const planStatuses = ["pending", "in_progress", "completed", "cancelled"] as const;

function plan(state: AcpState, update: Json): Step {
  const entries = listOf(update.entries).map((item) => {
    const entry = objectOf(item);
    const status = oneOf(planStatuses, entry.status) ?? "pending";
    return { text: textOf(entry.content) ?? "", status, priority: textOf(entry.priority) };
  });
  return [state, [{ type: "plan", turn: state.open.turn, entries }]];
}

function commands(state: AcpState, update: Json): Step {
  const list = listOf(update.availableCommands).flatMap((item) => {
    const command = objectOf(item);
    const name = textOf(command.name);
    if (name === undefined) return [];
    return [{ name, description: textOf(command.description), inputHint: textOf(objectOf(command.input).hint) }];
  });
  return [state, [{ type: "commands", commands: list }]];
}

function optionChanged(state: AcpState, id: string, value: string | undefined): Step {
  if (value === undefined) return [state, []];
  const options = withValue(state.options, id, value);
  return [{ ...state, options }, [{ type: "config_options", options }]];
}

function info(state: AcpState, update: Json): Step {
  const thread = textOf(objectOf(objectOf(objectOf(update._meta).codex).threadStatus).type);
  const next = thread === "systemError" ? { ...state, failing: "" } : state;
  const title = textOf(update.title);
  if (title === undefined) return [next, []];
  return [next, [{ type: "session_status", status: "updated", sessionId: state.sessionId, title }]];
}

function usage(state: AcpState, update: Json): Step {
  const used = numberOf(update.used) ?? 0;
  // Claude says 200K at first and 1M later: the larger is true. Zero used is what a cancelled turn reports.
  const size = Math.max(numberOf(update.size) ?? 0, state.contextSize);
  const amount = numberOf(objectOf(update.cost).amount);
  const next = { ...state, contextSize: size, cost: amount === undefined ? state.cost : Math.max(state.cost, amount) };
  const events: AgentEvent[] = next.cost > state.cost ? costSoFar(next) : [];
  if (used > 0 && size > 0) events.push({ type: "context_window", used: Math.min(used, size), size });
  return [next, events];
}

/** The protocol tells the tokens of a turn only when it is over, but what it costs as it goes. */
function costSoFar({ open: { turn }, cost, costBefore }: AcpState): AgentEvent[] {
  if (turn === undefined) return [];
  const usage = { input: 0, output: 0, costUsd: cost - costBefore, costSource: "reported" } as const;
  return [{ type: "usage", turn, usage }];
}

function unknown(state: AcpState, kind: string, update: Json): Step {
  if (wireTypes[`update:${kind}`]?.startsWith("ignored")) return [state, []];
  const wireType = `session/update:${kind}`;
  return [state, [unknownType("acp", wireType, update)]];
}
