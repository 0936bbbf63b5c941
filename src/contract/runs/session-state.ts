import type { AgentEvent } from "../events.ts";

/** Where a conversation stands. Host, server and web page compute it from the same events, so they agree. */
export type SessionState =
  | { phase: "starting" }
  | { phase: "idle" }
  | { phase: "working"; turn: string }
  | { phase: "waiting"; turn: string; pendingIds: [string, ...string[]] }
  | { phase: "closed"; reason: string };

export const starting: SessionState = { phase: "starting" };

export function advance(state: SessionState, event: AgentEvent): SessionState {
  if (state.phase === "closed") return state;
  switch (event.type) {
    case "session_status":
      if (event.status === "closed") return { phase: "closed", reason: event.reason };
      return state.phase === "starting" && event.status !== "parked" ? { phase: "idle" } : state;
    case "turn_started":
      return { phase: "working", turn: event.turn };
    case "permission_request":
    case "question_request":
      return wait(state, event.pendingId);
    case "request_resolved":
      return resolve(state, event.pendingId);
    case "complete":
      // A late end of an interrupted turn must not end its successor.
      return isOpen(state) && state.turn === event.turn ? { phase: "idle" } : state;
    default:
      return state;
  }
}

const isOpen = (state: SessionState) => state.phase === "working" || state.phase === "waiting";

function wait(state: SessionState, pendingId: string): SessionState {
  if (state.phase === "working") return { phase: "waiting", turn: state.turn, pendingIds: [pendingId] };
  if (state.phase !== "waiting" || state.pendingIds.includes(pendingId)) return state;
  return { ...state, pendingIds: [...state.pendingIds, pendingId] };
}

function resolve(state: SessionState, pendingId: string): SessionState {
  if (state.phase !== "waiting") return state;
  const [first, ...rest] = state.pendingIds.filter((id) => id !== pendingId);
  return first === undefined ? { phase: "working", turn: state.turn } : { ...state, pendingIds: [first, ...rest] };
}
