import type { AgentEvent, EventOf } from "../events.ts";
import { advance, type SessionState, starting } from "./session-state.ts";

/** What a log has begun and not yet ended. A crash closes it with `closing`, whoever notices the crash. */
export interface OpenItems extends SessionState {
  readonly tools: ReadonlySet<string>;
}

export const nothingOpen: OpenItems = { ...starting, tools: new Set() };

export function track(open: OpenItems, event: AgentEvent): OpenItems {
  if (event.type === "tool_call" || event.type === "tool_update") return trackTool(open, event);
  const state = advance(open, event);
  return state === open ? open : withTools(state, open.tools);
}

/** Tools may go on when their turn has ended. */
function trackTool(open: OpenItems, event: EventOf<"tool_call"> | EventOf<"tool_update">): OpenItems {
  const ended = event.toolStatus !== undefined && isEnded(event.toolStatus);
  const known = open.tools.has(event.toolCallId);
  if (ended ? !known : known || event.toolStatus === undefined) return open;
  const tools = ended ? without(open.tools, event.toolCallId) : new Set(open.tools).add(event.toolCallId);
  return withTools(open, tools);
}

/** Written out, as in `advance`. */
const withTools = ({ life, prompted, turn, requests }: SessionState, tools: ReadonlySet<string>): OpenItems => ({
  life,
  prompted,
  turn,
  requests,
  tools,
});

type Closable = Pick<OpenItems, "turn" | "tools" | "requests">;

/** The events that end everything still open: requests first, then tools, the turn last. */
export function closing(
  open: Closable,
  reason: string,
  outcome: "failed" | "interrupted" | "completed" = "failed",
): AgentEvent[] {
  const events: AgentEvent[] = closingItems(open, reason);
  if (open.turn !== undefined) events.push({ type: "complete", turn: open.turn, outcome, reason });
  return events;
}

/** The same without the turn, for a protocol that ends its turns itself. */
export function closingItems(open: Closable, reason: string): AgentEvent[] {
  const events: AgentEvent[] = [];
  for (const pendingId of open.requests.keys()) {
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
