import type { AgentEvent, EventOf } from "../../../contract/events.ts";

/** For tests: the events of a small conversation. */
export const opened: AgentEvent = { type: "session_status", status: "new", sessionId: "s" };
export const begin: AgentEvent = { type: "turn_started", turn: "t" };
export const end: AgentEvent = {
  type: "complete",
  turn: "t",
  outcome: "completed",
  usage: { input: 1000, output: 234 },
};
export const closed: AgentEvent = { type: "session_status", status: "closed", reason: "done" };

export const say = (text: string, messageId = "m"): AgentEvent => ({ type: "message_chunk", messageId, text });

export const ask = (text: string, promptId = "u"): AgentEvent => ({
  type: "user_message",
  promptId,
  content: [{ type: "text", text }],
  delivery: "start",
});

export const call = (toolCallId: string, toolTitle: string): AgentEvent => ({
  type: "tool_call",
  toolCallId,
  toolName: "Bash",
  toolTitle,
  kind: "execute",
  toolStatus: "running",
});

export const done = (toolCallId: string, result = "ok"): AgentEvent => ({
  type: "tool_update",
  toolCallId,
  toolStatus: "completed",
  result,
});

/** Offers once, always and no, as `y`, `Y` and `n`. */
export const permission = (pendingId: string, command = "ls"): EventOf<"permission_request"> => ({
  type: "permission_request",
  pendingId,
  permissionTitle: `Run ${command}`,
  source: "protocol",
  actionType: "execute",
  actionDetails: { command, cwd: "/work" },
  permissionOptions: [
    { id: "y", label: "Yes", kind: "allow_once" },
    { id: "Y", label: "Yes, always", kind: "allow_always" },
    { id: "n", label: "No", kind: "reject_once" },
  ],
});

export const resolved = (pendingId: string, who = "tom@box"): AgentEvent => ({
  type: "request_resolved",
  pendingId,
  outcome: "allowed",
  by: "person",
  who,
});
