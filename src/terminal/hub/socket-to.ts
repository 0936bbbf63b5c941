import type WebSocket from "ws";
import type { HubSession } from "./session.ts";

const OPEN_MS = 5000;

/**
 * A WebSocket to a session's host, open; `undefined` when it can't be had. The token goes in the header, which ours reads, and
 * in the first message, which others do: an address lands in logs.
 */
export async function socketTo(
  { url, token }: Pick<HubSession, "url" | "token">,
  query: string,
): Promise<WebSocket | undefined> {
  const { WebSocket } = await import("ws");
  const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
  const address = `${url.replace(/^http/, "ws")}/ws?${query}`;
  let socket: WebSocket;
  try {
    socket = new WebSocket(address, { headers, handshakeTimeout: OPEN_MS, followRedirects: false });
  } catch {
    return undefined; // a token that no header can carry, say
  }
  return new Promise((resolve) => {
    socket.on("error", () => resolve(undefined)); // it closes after that
    socket.once("close", () => resolve(undefined));
    socket.once("open", () => {
      if (token !== "") socket.send(JSON.stringify({ event: "auth", token }));
      resolve(socket);
    });
  });
}
