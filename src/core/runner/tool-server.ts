import { OWN_TOOLS } from "../../contract/requests/policy.ts";
import type { McpServer } from "../../contract/runs/mcp-server.ts";
import type { RunSpec } from "./run.ts";

/** The program that speaks MCP on behalf of the run. */
export interface ToolProgram {
  command: string;
  args: readonly string[];
}

/** A person who is asked may be asleep. */
const PATIENCE_MS = 24 * 3_600_000;

/**
 * The MCP servers that a run's agent gets. The socket is an argument and not a variable: what is in a variable may be a secret,
 * and goes to some agents through a file. This is none, and reaches an agent that sees no file of ours.
 */
export function serversOf({ mcpServers, tools, executor }: RunSpec, socket: string | undefined): readonly McpServer[] {
  if (tools === undefined || socket === undefined) return mcpServers;
  const { command, args } = tools;
  const seen = executor?.inside?.socket ?? socket;
  const transport = { type: "stdio" as const, command, args: [...args, "--socket", seen], env: {} };
  return [...mcpServers, { name: OWN_TOOLS, transport, callLimitMs: PATIENCE_MS }];
}
