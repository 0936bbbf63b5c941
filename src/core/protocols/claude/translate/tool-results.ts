import type { AgentEvent, ToolStatus } from "../../../../contract/events.ts";
import { type Json, listOf, objectOf, textOf } from "../../read.ts";
import type { ClaudeMessage } from "../messages.ts";
import { settledByResult } from "./asks.ts";
import { andThen, type ClaudeState, type Step, unmapped } from "./state.ts";
import { resultOf } from "./tools.ts";

/** `user` messages of the CLI carry the results of tools; the rest of them are our own words or its own, told elsewhere. */
export function toolResults(state: ClaudeState, message: ClaudeMessage): Step {
  let step: Step = [state, []];
  for (const item of listOf(objectOf(message.message).content)) {
    const block = objectOf(item);
    if (block.type === "tool_result") step = andThen(step, (next) => toolResult(next, message, block));
    else if (!ours.has(textOf(block.type) ?? "")) {
      step = andThen(step, (next) => [next, [unmapped(message, `user:${String(block.type)}`)]]);
    }
  }
  return step;
}

const ours = new Set(["text", "image", "document"]);

function toolResult(state: ClaudeState, message: ClaudeMessage, block: Json): Step {
  const toolCallId = textOf(block.tool_use_id) ?? "";
  const turn = state.turn?.id;
  const output = message.tool_use_result;
  const status = statusOf(state, toolCallId, message, block);
  const fields = { ...resultOf(block, output, status), parentToolCallId: textOf(message.parent_tool_use_id) };
  const known = state.open.tools.has(toolCallId);
  const unknown = { toolName: "unknown", toolTitle: "unknown tool", kind: "other", toolStatus: status } as const;
  const update: AgentEvent = known
    ? { type: "tool_update", turn, toolCallId, ...fields }
    : { type: "tool_call", turn, toolCallId, ...fields, ...unknown };
  const background = inBackground(state, toolCallId, status === "running");
  const settled = settledByResult(state, toolCallId, status === "denied" || status === "cancelled");
  return andThen(settled, (next) => [{ ...next, background }, [update]]);
}

function statusOf(state: ClaudeState, toolCallId: string, message: ClaudeMessage, block: Json): ToolStatus {
  const meta = objectOf(listOf(message.tool_result_meta).find((item) => objectOf(item).id === toolCallId));
  if (objectOf(meta.permission_decision).decision === "reject" || state.denied.has(toolCallId)) return "denied";
  if (block.is_error === true) {
    const stopped = meta.non_execution_kind === "user-rejected" || state.turn?.interrupted === true;
    return stopped ? "cancelled" : "failed";
  }
  const { status, isAsync, backgroundTaskId } = objectOf(message.tool_use_result);
  const goesOn = status === "async_launched" || isAsync === true || typeof backgroundTaskId === "string";
  return goesOn ? "running" : "completed";
}

function inBackground({ background }: ClaudeState, toolCallId: string, goesOn: boolean): ReadonlySet<string> {
  if (background.has(toolCallId) === goesOn) return background;
  const next = new Set(background);
  if (goesOn) next.add(toolCallId);
  else next.delete(toolCallId);
  return next;
}
