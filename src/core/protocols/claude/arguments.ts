import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import type { OpenOptions } from "../protocol.ts";

export interface ClaudeArguments {
  /** The id that a new conversation, or a fork, shall have. */
  sessionId: string;
  resume?: OpenOptions["resume"];
  model?: string;
  /** JSON, or the path of a file that holds it: arguments are visible to every account of the machine. */
  mcpConfig?: string;
}

/** What only the protocol knows; the rest of the command line is the definition's. */
export function claudeArgs({ sessionId, resume, model, mcpConfig }: ClaudeArguments): string[] {
  const args = resume === undefined ? [] : ["--resume", resume.sessionId];
  if (resume?.fork) args.push("--fork-session");
  if (resume === undefined || resume.fork) args.push("--session-id", sessionId);
  if (model !== undefined) args.push("--model", model);
  if (mcpConfig !== undefined) args.push("--mcp-config", mcpConfig);
  return args;
}

export function mcpConfigOf(servers: readonly McpServer[]): string | undefined {
  if (servers.length === 0) return undefined;
  return JSON.stringify({ mcpServers: Object.fromEntries(servers.map(({ name, transport }) => [name, transport])) });
}

/** Environment and headers are where tokens are. */
export function carriesSecrets(servers: readonly McpServer[]): boolean {
  return servers.some(
    ({ transport }) => Object.keys(transport.type === "stdio" ? transport.env : transport.headers).length > 0,
  );
}
