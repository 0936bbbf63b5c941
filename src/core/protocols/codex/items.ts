import type { AgentEvent, Tool } from "../../../contract/events.ts";
import { type Json, listOf, numberOf, objectOf, textOf } from "../read.ts";
import { type CodexMessage, isKnown } from "./messages.ts";
import { type CodexState, type Step, unmapped } from "./state.ts";
import { diffsOf, toolOf } from "./tools.ts";

/** An item begins: work is told at once, words only as they come. */
export function itemStarted(state: CodexState, message: CodexMessage): Step {
  const item = objectOf(message.params?.item);
  const toolCallId = textOf(item.id) ?? "";
  const next = answering(state, message, item);
  const tool = toolOf(item, false);
  if (tool === undefined) return [next, strange(message, item)];
  const call: AgentEvent = { type: "tool_call", ...contextOf(state, message), toolCallId, ...tool };
  return [remembering(next, item, toolCallId), [call]];
}

const notFromModel = new Set(["userMessage", "hookPrompt", "contextCompaction"]);

function answering(state: CodexState, message: CodexMessage, { type }: Json): CodexState {
  const isAnswer = isOfMain(state, message) && !notFromModel.has(String(type));
  if (!isAnswer || state.turn === undefined || state.turn.answering) return state;
  return { ...state, turn: { ...state.turn, answering: true } };
}

/** An item is over; of what was streamed it repeats nothing. An interrupted one never gets here. */
export function itemCompleted(state: CodexState, message: CodexMessage): Step {
  const item = objectOf(message.params?.item);
  const id = textOf(item.id) ?? "";
  const context = contextOf(state, message);
  const tool = toolOf(item, true);
  if (tool !== undefined) {
    const known = state.open.tools.has(id);
    const event: AgentEvent = known
      ? { type: "tool_update", ...context, toolCallId: id, ...outcome(state, id, tool) }
      : { type: "tool_call", ...context, toolCallId: id, ...tool };
    return [remembering(state, item, id), [event]];
  }
  switch (item.type) {
    case "agentMessage":
      return words(state, message, "message_chunk", id, textOf(item.text) ?? "");
    case "exitedReviewMode":
      return words(state, message, "message_chunk", id, textOf(item.review) ?? "");
    case "reasoning": {
      const parts = listOf(item.summary).length > 0 ? listOf(item.summary) : listOf(item.content);
      return words(state, message, "reasoning", id, parts.join("\n\n"));
    }
    case "plan":
      return [state, [{ type: "plan", turn: context.turn, markdown: textOf(item.text), entries: [] }]];
    case "contextCompaction": {
      const text = "The conversation was compacted.";
      return [state, [{ type: "notice", turn: context.turn, code: "compacted", text }]];
    }
    default:
      return [state, strange(message, item)];
  }
}

/** What the end adds to what the beginning told. */
function outcome(state: CodexState, id: string, tool: Partial<Tool>): Partial<Tool> {
  const { toolStatus, result, exitCode, diffs } = tool;
  const isNew = JSON.stringify(diffs) !== JSON.stringify(state.patches.get(id));
  return { toolStatus, result, exitCode, diffs: isNew ? diffs : undefined };
}

/** A piece of text, or the blank line between two parts of a thought. */
export function delta(state: CodexState, message: CodexMessage, type: "message_chunk" | "reasoning"): Step {
  const { itemId, delta, summaryIndex } = message.params ?? {};
  const id = textOf(itemId) ?? "";
  const isPart = message.method === "item/reasoning/summaryPartAdded";
  const text = isPart ? ((numberOf(summaryIndex) ?? 0) > 0 ? "\n\n" : "") : (textOf(delta) ?? "");
  return text === "" ? [state, []] : said(state, message, type, id, text);
}

export function toolOutput(state: CodexState, message: CodexMessage): Step {
  const { itemId, delta, message: progress, changes } = message.params ?? {};
  const toolCallId = textOf(itemId) ?? "";
  const context = contextOf(state, message);
  if (changes !== undefined) {
    const diffs = diffsOf(changes);
    const next = { ...state, patches: new Map(state.patches).set(toolCallId, diffs) };
    return [next, [{ type: "tool_update", ...context, toolCallId, diffs }]];
  }
  const line = textOf(progress);
  const outputChunk = textOf(delta) ?? (line === undefined ? "" : `${line}\n`);
  return [state, outputChunk === "" ? [] : [{ type: "tool_update", ...context, toolCallId, outputChunk }]];
}

export function isOfMain(state: CodexState, message: CodexMessage): boolean {
  const threadId = textOf(message.params?.threadId);
  return threadId === undefined || state.threadId === undefined || threadId === state.threadId;
}

/** What a sub-agent does belongs to the call that started it. */
function contextOf(state: CodexState, message: CodexMessage): { turn?: string; parentToolCallId?: string } {
  const turn = state.turn?.id;
  if (isOfMain(state, message)) return { turn };
  const threadId = textOf(message.params?.threadId) ?? "";
  return { turn, parentToolCallId: state.agents.get(threadId) ?? threadId };
}

function words(
  state: CodexState,
  message: CodexMessage,
  type: "message_chunk" | "reasoning",
  id: string,
  text: string,
): Step {
  const rest = text.slice(state.said.get(id) ?? 0);
  const over = new Map(state.said);
  over.delete(id);
  if (rest === "") return [{ ...state, said: over }, []];
  return [{ ...state, said: over }, [{ type, ...contextOf(state, message), messageId: id, text: rest }]];
}

function said(
  state: CodexState,
  message: CodexMessage,
  type: "message_chunk" | "reasoning",
  messageId: string,
  text: string,
): Step {
  const next = { ...state, said: new Map(state.said).set(messageId, (state.said.get(messageId) ?? 0) + text.length) };
  return [next, [{ type, ...contextOf(state, message), messageId, text }]];
}

function remembering(state: CodexState, item: Json, toolCallId: string): CodexState {
  if (item.type === "fileChange") {
    return { ...state, patches: new Map(state.patches).set(toolCallId, diffsOf(item.changes)) };
  }
  const threads = listOf(item.receiverThreadIds).filter((id) => typeof id === "string");
  if (item.tool !== "spawnAgent" || threads.length === 0) return state;
  const agents = new Map(state.agents);
  for (const thread of threads) agents.set(thread, toolCallId);
  return { ...state, agents };
}

function strange(message: CodexMessage, item: Json): AgentEvent[] {
  const wireType = `item:${String(item.type)}`;
  return isKnown(wireType) ? [] : [unmapped(message, wireType)];
}
