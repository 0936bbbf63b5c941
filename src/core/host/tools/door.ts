import { createServer, type IncomingMessage } from "node:http";
import { checkHost } from "../../../lib/http/access/gate.ts";
import { bearerOf, newToken, sameToken } from "../../../lib/http/access/token.ts";
import { ToolConversation } from "./conversation.ts";
import { exchange } from "./exchange.ts";
import { BEAT_MS, MAX_CONNECTIONS } from "./limits.ts";
import type { AgentCalls } from "./perform.ts";

export interface ToolDoor {
  url: string;
  token: string;
  close(): void;
}

export interface ToolDoorOptions {
  port?: number;
  /** Whoever has it is taken for the run's agent. */
  token?: string;
  beatMs?: number;
}

const PATH = "/mcp";

/** The run's own tools over MCP's streamable HTTP, for this machine alone and only with the token. */
export async function openToolDoor(calls: AgentCalls, options: ToolDoorOptions = {}): Promise<ToolDoor> {
  const { port = 0, token = newToken(), beatMs = BEAT_MS } = options;
  const tools = new ToolConversation(calls, { beatMs });
  // A client that finds its connection closed in the moment it asks again would have to guess whether it was heard.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const refused = objectionTo(request, token);
    if (refused === undefined) void exchange(tools, request, response, beatMs);
    else response.writeHead(refused, { connection: "close", allow: "POST" }).end();
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const bound = server.address();
  const taken = typeof bound === "object" && bound !== null ? bound.port : port;
  return {
    url: `http://127.0.0.1:${taken}${PATH}`,
    token,
    close() {
      tools.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Why a request isn't even read, as a status of HTTP. A page in somebody's browser can reach loopback too: it says so, or has
 * another Host, and never the token.
 */
function objectionTo(request: IncomingMessage, token: string): number | undefined {
  const { headers, method, rawHeaders, socket, url } = request;
  try {
    checkHost(rawHeaders, [`127.0.0.1:${socket.localPort}`, `localhost:${socket.localPort}`]);
  } catch {
    return 403;
  }
  if (headers.origin !== undefined || headers["sec-fetch-site"] !== undefined) return 403;
  if (!sameToken(bearerOf(request) ?? "", token)) return 401;
  if (url !== PATH) return 404;
  if (method !== "POST") return 405; // we have nothing to say unasked, and nothing to end
  if (headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() !== "application/json") return 415;
  return undefined;
}
