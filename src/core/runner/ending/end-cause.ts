import { errorCategories } from "../../../contract/categories.ts";
import { AppError, exitCodeOf, messageOf, wrap } from "../../../contract/errors.ts";
import type { AgentEvent, EventOf } from "../../../contract/events.ts";
import type { EndCause } from "./verdict.ts";

/** An agent that ended by itself while it was being opened is judged by its exit; a signal is what we end it with. */
export function isExit(cause: EndCause, exit: { code: number; signal?: string } | undefined): boolean {
  const ended = exit !== undefined && exit.code !== 0 && exit.signal === undefined;
  return cause.by === "failure" && cause.reason === "spawn_failed" && ended;
}

/** The last word of a conversation. */
export const closedBy = (
  reason: string,
  exit: { code: number; signal?: string } | undefined,
): EventOf<"session_status"> => ({
  type: "session_status",
  status: "closed",
  reason,
  exitCode: exit?.code,
  signal: exit?.signal,
});

export function failureCause(error: unknown, started: boolean): EndCause {
  if (!(error instanceof AppError)) {
    return { by: "failure", reason: "internal", detail: `agent panic: ${messageOf(error)}`, exitCode: 1 };
  }
  const detail = messageOf(started ? error : wrap("execute agent", error));
  if (error.code === "timeout") return { by: "limit", reason: "timeout", detail };
  if (error.code === "run.not_live") return { by: "stop", inTurn: true };
  const reason = error.code === "internal" || error.code.startsWith("store.") ? "internal" : reasonOf(error);
  return { by: "failure", reason, detail, exitCode: exitCodeOf(error.code) };
}

const reasonOf = (error: AppError) =>
  error.code.startsWith("agent.") || error.code === "run.not_resumable" ? "spawn_failed" : "invalid";

export function openError(error: AppError): AgentEvent {
  const named = errorCategories.find((category) => category === error.details.category);
  const category = named ?? (error.code === "agent.not_ready" ? "auth" : "process");
  return { type: "error", category, message: error.message, retryable: false };
}

export function describeCause(cause: EndCause): string {
  switch (cause.by) {
    case "stop":
      return "stopped";
    case "turn_complete":
      return "the turn is complete";
    default:
      return cause.detail;
  }
}
