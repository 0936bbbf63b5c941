import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "../../../contract/errors.ts";
import { randomUUID } from "../../../lib/base/crypto.ts";
import { readBody } from "../../../lib/http/body.ts";
import type { Send, ToolConversation } from "./conversation.ts";
import { failure, type Heard, heard, notice, PARSE_ERROR, type Said } from "./json-rpc.ts";
import { MAX_REQUEST_BYTES, MAX_UNREAD_BYTES } from "./limits.ts";

/** Tells the clients of one conversation apart: each counts its requests from the beginning. */
const SESSION = "mcp-session-id";

/** One POST with one message in it. Whoever breaks it off takes back what it asked. */
export async function exchange(
  tools: ToolConversation,
  request: IncomingMessage,
  response: ServerResponse,
  beatMs: number,
): Promise<void> {
  response.on("error", () => response.destroy());
  const message = await messageIn(request, response);
  if (message === undefined) return;
  const said = heard(message);
  const client = String(request.headers[SESSION] ?? "").slice(0, 100);
  if (said.kind === "request" && said.method === "initialize") response.setHeader(SESSION, randomUUID());
  const takeBack = () => {
    if (said.kind !== "request") return;
    void tools.receive(notice("notifications/cancelled", { requestId: said.id }), () => {}, client);
  };
  response.once("close", takeBack);
  const reply = isLong(said) && wantsEvents(request) ? eventsTo(response, beatMs) : oneAnswerTo(response);
  await tools.receive(message, reply.say, client);
  response.off("close", takeBack);
  reply.end();
}

/** `undefined` if there is none to speak of; then the client was told. */
async function messageIn(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  try {
    return JSON.parse((await readBody(request, MAX_REQUEST_BYTES)).toString("utf8")) as unknown;
  } catch (error) {
    const isRead = !(error instanceof AppError);
    const status = !isRead && error.code === "http.too_large" ? 413 : 400;
    response.writeHead(status, { "content-type": "application/json", connection: isRead ? "keep-alive" : "close" });
    response.end(isRead ? JSON.stringify(failure(null, PARSE_ERROR, "not JSON")) : undefined);
    return undefined;
  }
}

const isLong = (said: Heard) => said.kind === "request" && said.method === "tools/call";
const wantsEvents = ({ headers }: IncomingMessage) => headers.accept?.includes("text/event-stream") === true;

interface Reply {
  say: Send;
  end(): void;
}

function oneAnswerTo(response: ServerResponse): Reply {
  let answer: Said | undefined;
  return {
    say(said) {
      if ("id" in said) answer = said;
    },
    end() {
      if (answer === undefined) return void response.writeHead(202).end();
      const status = "error" in answer && answer.id === null ? 400 : 200;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    },
  };
}

/** Begins at once and is never silent for long: HTTP clients give up on an answer whose first byte, or next one, doesn't come. */
function eventsTo(response: ServerResponse, beatMs: number): Reply {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const write = (text: string) => {
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
    else response.write(text);
  };
  write(": the call is under way\n\n");
  const beat = setInterval(() => write(": waiting\n\n"), beatMs);
  return {
    say: (said) => write(`event: message\ndata: ${JSON.stringify(said)}\n\n`),
    end() {
      clearInterval(beat);
      response.end();
    },
  };
}
