import type { McpServerHttp } from "@agentclientprotocol/sdk";
import { type McpPeer, type Reply, readReply } from "./mcp-peer.ts";

/** Streamable HTTP: each message is a POST, answered by one JSON body or by a stream of events that has it. */
export function connectHttp(server: McpServerHttp, signal: AbortSignal): McpPeer {
  const headers = new Headers(server.headers.map(({ name, value }) => [name, value]));
  headers.set("content-type", "application/json");
  headers.set("accept", "application/json, text/event-stream");
  let lastId = 0;

  const post = async (message: object): Promise<Response> => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const response = await fetch(server.url, { method: "POST", headers, body, signal });
    if (!response.ok) throw new Error(`MCP server ${server.name} answered with HTTP status ${response.status}`);
    const session = response.headers.get("mcp-session-id");
    if (session !== null) headers.set("mcp-session-id", session);
    return response;
  };

  return {
    async request(method, params) {
      lastId += 1;
      const id = lastId;
      const reply = await replyTo(id, await post({ id, method, params }));
      if (!reply) throw new Error(`MCP server ${server.name} did not answer ${method}`);
      if (reply.error) throw new Error(reply.error.message);
      return reply.result;
    },
    async notify(method) {
      await (await post({ method })).body?.cancel();
    },
    async close() {
      // Only a server that gave out a session has something to end.
      if (!headers.has("mcp-session-id")) return;
      await fetch(server.url, { method: "DELETE", headers, signal: AbortSignal.timeout(1000) }).catch(() => {});
    },
  };
}

async function replyTo(id: number, response: Response): Promise<Reply | undefined> {
  const text = await response.text();
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return readReply(text);
  return text
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => readReply(line.slice("data:".length)))
    .find((reply) => reply?.id === id);
}
