import { messageOf } from "../../contract/errors.ts";
import type { AgentEvent } from "../../contract/events.ts";
import { passedOver } from "../../lib/process/path/distrust.ts";
import type { RunSpec } from "./run-spec.ts";

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

/** What a person has to know from the start. */
export const firstNotices = ({
  callerEnv,
  plan,
  mcpServers,
}: Pick<RunSpec, "callerEnv" | "plan" | "mcpServers">): AgentEvent[] => [
  ...pathPassedOver(callerEnv.PATH),
  ...mcpIgnored(plan, mcpServers),
];

/** Once, for whoever wonders why a program that they have there was not taken. */
function pathPassedOver(path: string | undefined): AgentEvent[] {
  const entries = passedOver(path);
  if (entries.length === 0) return [];
  const text = `cox itself starts no programs from where agents can write, on your PATH: ${entries.join(", ")}`;
  return [{ type: "notice", code: "path_passed_over", text }];
}

/** A person who gave it servers would wait for tools that never come. */
function mcpIgnored({ displayName, takesMcp }: RunSpec["plan"], servers: RunSpec["mcpServers"]): AgentEvent[] {
  if (takesMcp || servers.length === 0) return [];
  const names = servers.map(({ name }) => name).join(", ");
  const text = `${displayName} takes no MCP servers (supports_mcp in its definition); not passed on: ${names}`;
  return [{ type: "notice", code: "mcp_ignored", text }];
}

export function shrunkFile(file: string, from: number, to: number): AgentEvent {
  const text = `${file} shrank from ${from} to ${to} bytes: something in the agent's tree truncated it`;
  return { type: "notice", code: "shrunk_file", text };
}
