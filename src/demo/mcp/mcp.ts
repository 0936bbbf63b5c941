import type { McpServer } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { connectHttp } from "./mcp-http.ts";
import type { McpPeer } from "./mcp-peer.ts";
import { connectStdio } from "./mcp-stdio.ts";

/** Just enough of MCP to call one tool: connect, initialize, call, leave. */
export async function callMcpTool(server: McpServer, tool: string, input: unknown, signal: AbortSignal) {
  const peer = connect(server, signal);
  try {
    await peer.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "coxswain-demo", version: "1" },
    });
    await peer.notify("notifications/initialized");
    const { content, isError } = ToolResult.parse(await peer.request("tools/call", { name: tool, arguments: input }));
    const text = content.map((block) => block.text ?? `[${block.type}]`).join("\n");
    return { text, isError };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await peer.close();
  }
}

function connect(server: McpServer, signal: AbortSignal): McpPeer {
  if (!("type" in server)) return connectStdio(server, signal);
  if (server.type === "http") return connectHttp(server, signal);
  throw new Error(`${server.name}: the demo agent speaks MCP over stdio and HTTP, not over ${server.type}`);
}

const ToolResult = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  isError: z.boolean().default(false),
});
