import { messageOf } from "../../contract/errors.ts";
import type { AgentEvent } from "../../contract/events.ts";
import { passedOver } from "../../lib/process/path/distrust.ts";

export function conversationLost(error: unknown): AgentEvent {
  const text = `the agent doesn't have this conversation any more (${messageOf(error)}); a new one begins, and it is told what was said`;
  return { type: "notice", code: "conversation_lost", text };
}

export function optionNotSet(id: string, error: unknown): AgentEvent {
  return {
    type: "notice",
    code: "option_not_set",
    text: `set ${id} as it was in the earlier run: ${messageOf(error)}`,
  };
}

/** Once, for whoever wonders why a program that they have there was not taken. */
export function pathPassedOver(path: string | undefined): AgentEvent[] {
  const entries = passedOver(path);
  if (entries.length === 0) return [];
  const text = `cox itself starts no programs from where agents can write, on your PATH: ${entries.join(", ")}`;
  return [{ type: "notice", code: "path_passed_over", text }];
}

export function shrunkFile(file: string, from: number, to: number): AgentEvent {
  const text = `${file} shrank from ${from} to ${to} bytes: something in the agent's tree truncated it`;
  return { type: "notice", code: "shrunk_file", text };
}
