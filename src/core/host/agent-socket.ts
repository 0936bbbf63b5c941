import type { Socket } from "node:net";
import type { AgentReply } from "../../contract/agent-socket.ts";
import { type Line, linesOf } from "../../lib/text/lines.ts";
import { ToolConversation } from "./tools/conversation.ts";
import { failure, INVALID_REQUEST, isJsonRpc, PARSE_ERROR, type Said } from "./tools/json-rpc.ts";
import { MAX_AT_ONCE, MAX_CONNECTIONS, MAX_REQUEST_BYTES, MAX_UNREAD_BYTES } from "./tools/limits.ts";
import type { AgentCalls } from "./tools/perform.ts";
import { openUnixServer, type UnixServer } from "./unix-server.ts";

/**
 * The agent's own socket. An agent is not trusted: it gets the operations of the table and nothing else, in bounded numbers,
 * and never a way to say on whose behalf. A line is a request of our own format, or a message of MCP.
 */
export function openAgentSocket(calls: AgentCalls, path: string): Promise<UnixServer> {
  return openUnixServer(path, (socket) => serve(calls, socket), { maxConnections: MAX_CONNECTIONS });
}

async function serve(calls: AgentCalls, socket: Socket): Promise<void> {
  const gone = new AbortController();
  const tools = new ToolConversation(calls);
  let speaksMcp = false;
  let underWay = 0;
  const say = (message: AgentReply | Said) => {
    if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
    if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
  };
  const take = async (line: Line) => {
    if ("text" in line && line.text.trim() === "") return;
    const message = "text" in line ? parsed(line.text) : undefined;
    if (isJsonRpc(message)) {
      speaksMcp = true;
      return tools.receive(message, say);
    }
    if (speaksMcp) return say(unreadable(line, message));
    underWay += 1;
    say(await answer(underWay > MAX_AT_ONCE ? undefined : calls, line, message, gone.signal));
    underWay -= 1;
  };
  try {
    for await (const lines of linesOf(socket, MAX_REQUEST_BYTES)) for (const line of lines) void take(line);
    socket.end();
  } catch {
    socket.destroy(); // it broke off
  } finally {
    tools.close();
    gone.abort();
  }
}

async function answer(
  calls: AgentCalls | undefined,
  line: Line,
  message: unknown,
  signal: AbortSignal,
): Promise<AgentReply> {
  if ("text" in line) return (await import("./agent-requests.ts")).replyTo(calls, message, signal);
  return { id: -1, error: { code: "usage.invalid", message: `a request of ${line.oversized} bytes is too large` } };
}

function unreadable(line: Line, message: unknown): Said {
  if (!("text" in line)) return failure(null, INVALID_REQUEST, `a message of ${line.oversized} bytes is too large`);
  return message === undefined
    ? failure(null, PARSE_ERROR, "not JSON")
    : failure(null, INVALID_REQUEST, "not a message of JSON-RPC 2.0");
}

/** `undefined` where it isn't JSON at all. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
