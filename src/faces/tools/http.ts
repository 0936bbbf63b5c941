import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createMcpHandler, localhostAllowedHostnames, validateHostHeader } from "@modelcontextprotocol/server";
import { mcpServer } from "./mcp.ts";

export interface ToolsEndpoint {
  url: string;
  close(): void;
}

/** The same tools over streamable HTTP, for clients that don't start programs. Loopback only, and only with the token. */
export async function serveToolsOverHttp(socketPath: string, port: number, token: string): Promise<ToolsEndpoint> {
  const handler = createMcpHandler(() => mcpServer(socketPath));
  const server = createServer((request, response) => {
    const refusal = objectionTo(request, token);
    if (refusal === undefined) void answer(request, response, handler.fetch);
    else response.writeHead(refusal).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}/mcp`,
    close() {
      void handler.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A page in somebody's browser can reach loopback too: it has another Host, and never the token. */
function objectionTo({ url, headers }: IncomingMessage, token: string): number | undefined {
  if (!validateHostHeader(headers.host, localhostAllowedHostnames()).ok) return 403;
  if (!isSame(headers.authorization ?? "", `Bearer ${token}`)) return 401;
  return url?.split("?")[0] === "/mcp" ? undefined : 404;
}

/** In a time that says nothing about how much of it was right. */
const isSame = (given: string, expected: string) => timingSafeEqual(digest(given), digest(expected));
const digest = (text: string) => createHash("sha256").update(text).digest();

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  fetch: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  try {
    const reply = await fetch(webRequest(request, gone.signal));
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    if (reply.body === null) response.end();
    else await pipeline(Readable.fromWeb(reply.body), response);
  } catch {
    response.destroy(); // the client went away in the middle of it
  }
}

function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/", headers } = request;
  const named = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] satisfies [string, string]],
  );
  const body = method === "GET" || method === "HEAD" ? undefined : Readable.toWeb(request);
  return new Request(new URL(url, "http://127.0.0.1"), { method, headers: named, body, signal, duplex: "half" });
}
