/** `opencode run --format json` (1.18): what each line's type becomes. There is no result line: the last step's end is it. */
export const wireTypes = {
  step_start: "begins the turn if none is open; the model's server has begun to answer",
  text: "message_chunk: the suffix of a part that was seen before",
  reasoning: "reasoning, likewise",
  tool_use: "tool_call, or tool_update for a call seen before; todowrite also becomes a plan",
  step_finish: "usage; complete unless the step ended in tool calls",
  error: "error and complete; a context overflow only error, because opencode compacts and goes on",
} as const;

export type WireType = keyof typeof wireTypes;
