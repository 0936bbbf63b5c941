import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { mcpServer } from "./mcp.ts";

/** Until the client closes our stdin. What is under way then is broken off, and so is what waits at the socket. */
export async function serveTools(socketPath: string, stdin: Readable, stdout: Writable): Promise<void> {
  const server = serveStdio(() => mcpServer(socketPath), { transport: new StdioServerTransport(stdin, stdout) });
  await once(stdin, "close");
  await server.close();
}
