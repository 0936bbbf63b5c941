import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import type { OpenOptions } from "../protocol.ts";

/** The MCP servers that an agent is told of, the run's own tools among them. */
export async function serversOf(
  { mcpServers, tools, env }: Pick<OpenOptions, "mcpServers" | "tools" | "env">,
  { takesHttp }: { takesHttp: boolean },
): Promise<readonly McpServer[]> {
  if (tools === undefined) return mcpServers;
  const { name, callLimitMs, http, program } = tools;
  // Where nobody may listen, the program still works.
  const address = takesHttp && !isProxied(env) ? await http?.().catch(() => undefined) : undefined;
  const transport: McpServer["transport"] =
    address === undefined
      ? { type: "stdio", command: program.command, args: [...program.args], env: {} }
      : { type: "http", ...address };
  return [...mcpServers, { name, callLimitMs, transport }];
}

/** Whether a program with these variables would carry what is meant for this machine to a proxy, and the token with it. */
export function isProxied(env: Readonly<Record<string, string>>): boolean {
  const value = (name: string) => env[name] || env[name.toLowerCase()] || "";
  if (value("HTTP_PROXY") === "" && value("ALL_PROXY") === "") return false;
  const exempt = value("NO_PROXY")
    .split(/[\s,]+/)
    .filter((entry) => entry !== "");
  return !exempt.some((entry) => entry === "*" || entry === "127.0.0.1");
}
