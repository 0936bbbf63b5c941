import type WebSocket from "ws";
import { socketText } from "../../lib/http/socket-text.ts";
import type { HubSession } from "./session.ts";
import { socketTo } from "./socket-to.ts";

const MAX_WAITING = 1000;
/** Beyond this a client doesn't read; it is cut off and may come again. */
const MAX_BUFFERED = 16 * 1024 * 1024;

/**
 * A client's own line to a session's host: what it asks reaches the host with its own request ids, once. When the line breaks
 * it is closed, and the client decides what to send again: a key typed twice is worse than one that is lost.
 */
export async function pipe(client: WebSocket, session: HubSession, query: string): Promise<void> {
  const waiting: string[] = [];
  const keep = (data: WebSocket.RawData) => {
    if (waiting.length < MAX_WAITING) waiting.push(socketText(data));
  };
  client.on("error", () => client.terminate());
  client.on("message", keep);
  const host = await socketTo(session, query);
  if (host === undefined) return client.close(1011, "the session's host can't be reached");
  client.off("message", keep);
  for (const message of waiting) host.send(message);
  client.on("message", (data) => host.readyState === host.OPEN && host.send(socketText(data)));
  host.on("message", (data) => {
    if (client.readyState !== client.OPEN) return;
    if (client.bufferedAmount > MAX_BUFFERED) client.close(1013, "too slow");
    else client.send(socketText(data));
  });
  host.on("close", () => client.close(1011, "the session's host closed the line"));
  client.on("close", () => host.terminate());
  if (client.readyState !== client.OPEN) host.terminate();
}
