import type { ClaudeState, Step } from "./translate/state.ts";

/** With an id of our own choice the conversation can be told before its first turn. */
export function opened(state: ClaudeState, version: string | undefined): Step {
  const { sessionId } = state.opening;
  return sessionId === undefined ? [state, []] : introduced(state, sessionId, version);
}

/** Told once, though every turn begins with the same introduction. */
export function introduced(state: ClaudeState, sessionId: string, agentVersion: string | undefined): Step {
  if (state.session !== undefined) return [state, []];
  const { resumed } = state.opening;
  return [
    { ...state, session: { id: sessionId } },
    [
      {
        type: "session_status",
        status: resumed ? "resumed" : "new",
        sessionId,
        agentVersion,
        resumedBy: resumed ? "flag" : undefined,
        can: ["steer", "interrupt", "resume", "fork", "images"],
      },
    ],
  ];
}

/** Compaction and forks give the conversation a new id: that is the one to resume. */
export function renamed(state: ClaudeState, sessionId: string): Step {
  return [{ ...state, session: { id: sessionId } }, [{ type: "session_status", status: "updated", sessionId }]];
}
