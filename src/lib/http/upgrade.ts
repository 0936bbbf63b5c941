import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { SAFE_HEADERS } from "./reply.ts";
import type { Reply } from "./route.ts";

/** An HTTP answer on a socket that asked to become something else, and the end of it. */
export function refuseUpgrade(socket: Duplex, reply: Reply): void {
  const status = reply.status ?? 500;
  const body = reply.text ?? JSON.stringify(reply.json ?? {});
  const headers = {
    ...SAFE_HEADERS,
    "content-type": "application/json",
    ...reply.headers,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines, "", body].join("\r\n"), () =>
    socket.destroy(),
  );
}
