import type { AgentEvent } from "../events.ts";

/** What a log has begun and not yet ended. A crash closes it with `closing`, whoever notices the crash. */
export interface OpenItems {
  readonly turn: string | undefined;
  readonly tools: ReadonlySet<string>;
  readonly requests: ReadonlySet<string>;
}

export const nothingOpen: OpenItems = { turn: undefined, tools: new Set(), requests: new Set() };

export function track(open: OpenItems, event: AgentEvent): OpenItems {
  switch (event.type) {
    case "turn_started":
      return { ...open, turn: event.turn };
    case "complete":
      return open.turn === event.turn ? { ...open, turn: undefined } : open;
    case "tool_call":
    case "tool_update": {
      const ended = event.toolStatus !== undefined && isEnded(event.toolStatus);
      const known = open.tools.has(event.toolCallId);
      if (ended ? !known : known || event.toolStatus === undefined) return open;
      return {
        ...open,
        tools: ended ? without(open.tools, event.toolCallId) : new Set(open.tools).add(event.toolCallId),
      };
    }
    case "permission_request":
    case "question_request":
      return { ...open, requests: new Set(open.requests).add(event.pendingId) };
    case "request_resolved":
      return { ...open, requests: without(open.requests, event.pendingId) };
    default:
      return open;
  }
}

/** The events that end everything still open: requests first, then tools, the turn last. */
export function closing(
  open: OpenItems,
  reason: string,
  outcome: "failed" | "interrupted" | "completed" = "failed",
): AgentEvent[] {
  const events: AgentEvent[] = closingItems(open, reason);
  if (open.turn !== undefined) events.push({ type: "complete", turn: open.turn, outcome, reason });
  return events;
}

/** The same without the turn, for a protocol that ends its turns itself. */
export function closingItems(open: OpenItems, reason: string): AgentEvent[] {
  const events: AgentEvent[] = [];
  for (const pendingId of open.requests) {
    events.push({ type: "request_resolved", pendingId, outcome: "cancelled", by: "agent", reason });
  }
  for (const toolCallId of open.tools) {
    events.push({ type: "tool_update", turn: open.turn, toolCallId, toolStatus: "cancelled" });
  }
  return events;
}

function isEnded(status: string): boolean {
  return status === "completed" || status === "failed" || status === "denied" || status === "cancelled";
}

function without(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  const copy = new Set(set);
  copy.delete(item);
  return copy;
}
