import type { AgentEvent, ToolStatus } from "../../../../contract/events.ts";
import { listOf, numberOf, textOf } from "../../read.ts";
import { introduced } from "../conversation.ts";
import { type ClaudeMessage, wireTypeOf, wireTypes } from "../messages.ts";
import { changed, commandsEvent, resolvedModel } from "../options.ts";
import { withModel } from "./figures.ts";
import { andThen, type ClaudeState, ensureTurn, type Step, unmapped } from "./state.ts";

export function system(state: ClaudeState, message: ClaudeMessage): Step {
  switch (message.subtype) {
    case "init":
      return init(state, message);
    case "status":
      return changed(state, { mode: textOf(message.permissionMode) });
    case "api_retry":
      return [state, [retrying(state, message)]];
    case "compact_boundary":
      return [state, [notice(state, "compacted", "The conversation was compacted.", message.compact_metadata)]];
    case "commands_changed":
      return [state, [commandsEvent(message.commands)]];
    case "permission_denied": {
      const denied = new Set(state.denied).add(textOf(message.tool_use_id) ?? "");
      return [{ ...state, denied }, []];
    }
    case "task_notification":
      return taskEnded(state, message);
    case "local_command_output":
      return [
        state,
        [{ type: "message_chunk", turn: state.turn?.id, messageId: idOf(message), text: contentOf(message) }],
      ];
    case "informational":
      return [state, message.level === "info" ? [] : [notice(state, "informational", contentOf(message))]];
    case "notification":
      return [state, [notice(state, "notification", textOf(message.text) ?? "")]];
    case "model_refusal_fallback":
      return [state, [notice(state, "model_fallback", contentOf(message), { model: message.fallback_model })]];
    case "model_refusal_no_fallback":
      return [state, [notice(state, "refused", contentOf(message))]];
    case "session_writes_lost": {
      const text = `The agent could not save ${listOf(message.lost).join(" and ")}: ${String(message.error_code)}.`;
      return [state, [notice(state, "session_writes_lost", text)]];
    }
    default:
      return [state, wireTypes[wireTypeOf(message)] === undefined ? [unmapped(message)] : []];
  }
}

/** Comes at the start of every turn. */
function init(state: ClaudeState, message: ClaudeMessage): Step {
  const model = textOf(message.model);
  const known = introduced(state, textOf(message.session_id) ?? "", textOf(message.claude_code_version));
  return andThen(
    andThen(known, (next) =>
      changed(next, { model: resolvedModel(next.options, model), mode: textOf(message.permissionMode) }),
    ),
    (next) => ensureTurn(withModel(next, model)),
  );
}

function retrying(state: ClaudeState, message: ClaudeMessage): AgentEvent {
  const status = numberOf(message.error_status);
  const cause = status === undefined ? textOf(message.error) : `${String(message.error)}, HTTP ${status}`;
  const seconds = Math.round((numberOf(message.retry_delay_ms) ?? 0) / 100) / 10;
  const text = `Retry ${String(message.attempt)} of ${String(message.max_retries)} in ${seconds} s: ${String(cause)}`;
  return notice(state, "retrying", text, {
    attempt: message.attempt,
    maxRetries: message.max_retries,
    delayMs: message.retry_delay_ms,
    httpStatus: status,
    error: message.error,
  });
}

const ends: Readonly<Record<string, ToolStatus>> = { completed: "completed", failed: "failed", stopped: "cancelled" };

/** A tool that went on in the background is over; other background work is worth a line. */
function taskEnded(state: ClaudeState, message: ClaudeMessage): Step {
  const toolCallId = textOf(message.tool_use_id) ?? "";
  const summary = textOf(message.summary);
  if (!state.background.has(toolCallId)) {
    const quiet = message.ambient === true || message.skip_transcript === true;
    return [state, quiet ? [] : [notice(state, "task_ended", summary ?? `task ${String(message.status)}`)]];
  }
  const background = new Set(state.background);
  background.delete(toolCallId);
  const subagents = new Map(state.subagents);
  subagents.delete(toolCallId);
  const toolStatus = ends[textOf(message.status) ?? ""] ?? "completed";
  const update: AgentEvent = { type: "tool_update", turn: state.turn?.id, toolCallId, toolStatus, result: summary };
  return [{ ...state, background, subagents }, [update]];
}

const notice = (state: ClaudeState, code: string, text: string, data?: unknown): AgentEvent => ({
  type: "notice",
  turn: state.turn?.id,
  code,
  text,
  data,
});

const contentOf = (message: ClaudeMessage) => textOf(message.content) ?? "";
const idOf = (message: ClaudeMessage) => textOf(message.uuid) ?? "local-command";
