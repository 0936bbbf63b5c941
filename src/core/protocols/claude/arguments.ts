import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import type { OpenOptions } from "../protocol.ts";

export interface ClaudeArguments {
  /** The id that a new conversation, or a fork, shall have. */
  sessionId: string;
  resume?: OpenOptions["resume"];
  /** Which conversation goes on stands on the command line already. */
  isSaid?: boolean;
  model?: string;
  /** JSON, or the path of a file that holds it: arguments are visible to every account of the machine. */
  mcpConfig?: string;
}

/** What only the protocol knows; the rest of the command line is the definition's. */
export function claudeArgs({ sessionId, resume, isSaid = false, model, mcpConfig }: ClaudeArguments): string[] {
  const args = resume === undefined || isSaid ? [] : ["--resume", resume.sessionId];
  if (resume?.fork) args.push("--fork-session");
  if (resume === undefined || resume.fork) args.push("--session-id", sessionId);
  if (model !== undefined) args.push("--model", model);
  if (mcpConfig !== undefined) args.push("--mcp-config", mcpConfig);
  return args;
}

/** `hosted`: the name of a server that we are ourselves, in the conversation. */
export function mcpConfigOf(servers: readonly McpServer[], hosted?: string): string | undefined {
  const entries: [string, object][] = servers.map(({ name, transport }) => [name, transport]);
  if (hosted !== undefined) entries.push([hosted, { type: "sdk", name: hosted }]);
  return entries.length === 0 ? undefined : JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}

/** Environment and headers are where tokens are. */
export function carriesSecrets(servers: readonly McpServer[]): boolean {
  return servers.some(
    ({ transport }) => Object.keys(transport.type === "stdio" ? transport.env : transport.headers).length > 0,
  );
}
