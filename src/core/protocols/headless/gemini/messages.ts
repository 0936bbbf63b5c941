/** `gemini -o stream-json` (0.61): what each line's type becomes. */
export const wireTypes = {
  init: "session_status; begins the turn",
  message: "message_chunk; the echo of the prompt (role user) is ignored because the host records what it sent",
  tool_use: "tool_call",
  tool_result: "tool_update",
  error: "notice for a warning, else error",
  result: "complete, after an error where its status says so",
} as const;

export type WireType = keyof typeof wireTypes;
