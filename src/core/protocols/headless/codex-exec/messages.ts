/** `codex exec --json` (0.166): what each line's type becomes. */
export const wireTypes = {
  "thread.started": "session_status",
  "turn.started": "begins the turn",
  "turn.completed": "complete; the usage is the thread's so far, so the turn's is the difference",
  "turn.failed": "error, unless the line before it said the same, and complete",
  "item.started": "by the item's type",
  "item.updated": "by the item's type",
  "item.completed": "by the item's type",
  error: "notice while codex tries again by itself, else error",
} as const;

/** Items: `error` lines and turns carry no id, these do; codex counts them anew in every process. */
export const itemTypes = {
  agent_message: "message_chunk, whole: exec has no deltas",
  reasoning: "reasoning, whole",
  command_execution: "tool; a command that the sandbox refuses is never mentioned",
  file_change: "tool; exec names the files, not the lines, so there is no diff",
  mcp_tool_call: "tool",
  collab_tool_call: "tool",
  web_search: "tool",
  todo_list: "plan",
  plan: "plan, as markdown",
  error: "notice: an item's error is a warning, the turn goes on",
} as const;

export type WireType = keyof typeof wireTypes;
export type ItemType = keyof typeof itemTypes;
