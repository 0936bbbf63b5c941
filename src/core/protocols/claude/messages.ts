import { type Json, objectOf, textOf } from "../read.ts";

/**
 * The stream-json of Claude Code, one object per line in both directions. What it says is read tolerantly, field by
 * field; what we say is built here and nowhere else.
 */
export type ClaudeMessage = Json;

/** `uuid` comes back in the result of the turn that took the message up: so we know whose answer it is. */
export const userMessage = (content: readonly Json[], uuid: string): ClaudeMessage => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
  session_id: "",
  uuid,
});

export const controlRequest = (requestId: string, request: Json): ClaudeMessage => ({
  type: "control_request",
  request_id: requestId,
  request,
});

export const controlSuccess = (requestId: string, response: Json): ClaudeMessage => ({
  type: "control_response",
  response: { subtype: "success", request_id: requestId, response },
});

export const controlError = (requestId: string, error: string): ClaudeMessage => ({
  type: "control_response",
  response: { subtype: "error", request_id: requestId, error },
});

/** The name under which the table below knows a message. */
export function wireTypeOf(message: ClaudeMessage): string {
  const type = textOf(message.type) ?? "";
  if (type === "stream_event") return `stream_event/${String(objectOf(message.event).type)}`;
  if (type === "system") return `system/${String(message.subtype)}`;
  if (type === "control_request") return `control_request/${String(objectOf(message.request).subtype)}`;
  return type;
}

/** Every message of 2.1.325, by its type, and why we say nothing about those we ignore. */
export const wireTypes: Readonly<Record<string, string>> = {
  assistant: "mapped",
  user: "mapped",
  result: "mapped",
  "stream_event/message_start": "mapped",
  "stream_event/content_block_start": "mapped",
  "stream_event/content_block_delta": "mapped",
  "stream_event/content_block_stop": "mapped",
  "stream_event/message_delta": "mapped",
  "stream_event/message_stop": "ignored because content_block_stop and result tell it",
  "stream_event/ping": "ignored because it only keeps the connection alive",
  "stream_event/error": "ignored because the CLI retries it or says it in the result",
  "system/init": "mapped",
  "system/status": "mapped",
  "system/api_retry": "mapped",
  "system/compact_boundary": "mapped",
  "system/commands_changed": "mapped",
  "system/permission_denied": "mapped",
  "system/task_notification": "mapped",
  "system/local_command_output": "mapped",
  "system/informational": "mapped",
  "system/notification": "mapped",
  "system/model_refusal_fallback": "mapped",
  "system/model_refusal_no_fallback": "mapped",
  "system/session_writes_lost": "mapped",
  "system/thinking_tokens": "ignored because it estimates what usage tells exactly",
  "system/task_started": "ignored because the tool call that started it is told",
  "system/task_progress": "ignored because the sub-agent's own messages are told",
  "system/task_updated": "ignored because task_notification tells the end",
  "system/background_tasks_changed": "ignored because task_notification tells the end",
  "system/session_state_changed": "ignored because turns and requests tell it",
  "system/hook_started": "ignored because hooks are the CLI's own affair",
  "system/hook_progress": "ignored because hooks are the CLI's own affair",
  "system/hook_response": "ignored because hooks are the CLI's own affair",
  "system/plugin_install": "ignored because plugins are the CLI's own affair",
  "system/memory_recall": "ignored because memories are the CLI's own affair",
  "system/files_persisted": "ignored because it concerns hosted sessions only",
  "system/worker_shutting_down": "ignored because it concerns hosted sessions only",
  "system/mirror_error": "ignored because it concerns hosted sessions only",
  "system/elicitation_complete": "ignored because the answer to the elicitation is what counts",
  "system/control_request_progress": "ignored because we send no request that reports progress",
  rate_limit_event: "mapped",
  auth_status: "mapped",
  conversation_reset: "mapped",
  command_lifecycle: "mapped",
  control_response: "mapped",
  control_cancel_request: "mapped",
  "control_request/can_use_tool": "mapped",
  "control_request/elicitation": "mapped",
  "control_request/hook_callback": "ignored because we register no hooks; answered: go on",
  "control_request/mcp_message": "ignored because the run's own tools answer it, and the tool call is told",
  "control_request/request_user_dialog": "ignored because the CLI forbids an answer to a dialog we did not declare",
  tool_progress: "ignored because it only says that the tool still runs",
  tool_use_summary: "ignored because the tools themselves are told",
  prompt_suggestion: "ignored because nobody asked for suggestions",
  active_goal: "ignored because it repeats a command of the person",
  keep_alive: "ignored because it only keeps the connection alive",
};
