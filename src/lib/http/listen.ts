import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { AppError, messageOf } from "../../contract/errors.ts";
import { errnoOf } from "../files/disk-error.ts";
import { requireOwnPlace } from "../files/private-folder.ts";
import type { App } from "./app.ts";

export type Address = { host: string; port: number } | { socket: string };

export interface Listening {
  url: string;
  /** 0 on a unix socket. */
  port: number;
  /** Takes no more; what is open may finish within the grace, then its connections are cut. */
  close(graceMs?: number): Promise<void>;
}

export async function listen(app: App, address: Address): Promise<Listening> {
  const { limits } = app;
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
      noDelay: true,
    },
    app.handle,
  );
  server.maxHeadersCount = limits.headers;
  server.maxConnections = limits.connections;
  const upgraded = new Set<Socket>();
  server.on("upgrade", (request, socket, head) => {
    const connection = request.socket;
    upgraded.add(connection);
    connection.on("close", () => upgraded.delete(connection));
    app.upgrade(request, socket, head);
  });
  await ("socket" in address ? openSocket(server, address.socket) : openPort(server, address));
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return {
    url: "socket" in address ? `unix:${address.socket}` : `http://${inUrl(address.host)}:${port}`,
    port,
    close: (graceMs = 0) => close(server, app, upgraded, graceMs),
  };
}

async function openPort(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  try {
    await bind(server, () => server.listen({ host, port }));
  } catch (cause) {
    const taken = errnoOf(cause) === "EADDRINUSE";
    const why = taken ? "another program has this port" : messageOf(cause);
    throw new AppError(taken ? "listen.taken" : "listen.failed", `listen on ${host}:${port}: ${why}`, {}, { cause });
  }
}

async function openSocket(server: Server, path: string): Promise<void> {
  // Node cuts longer paths without a word, and would listen somewhere else.
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) {
    throw new AppError(
      "listen.failed",
      `listen on ${path}: longer than ${MAX_SOCKET_PATH} bytes; choose a shorter path`,
    );
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  requireOwnPlace(dirname(path));
  if (await answers(path)) throw new AppError("listen.taken", `listen on ${path}: another program listens there`);
  try {
    rmSync(path, { force: true }); // left by one that was killed
    await bind(server, () => server.listen(path));
    chmodSync(path, 0o600);
  } catch (cause) {
    throw new AppError("listen.failed", `listen on ${path}: ${messageOf(cause)}`, {}, { cause });
  }
}

const MAX_SOCKET_PATH = 103;

function bind(server: Server, begin: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      resolve();
    });
    begin();
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

async function close(server: Server, app: App, upgraded: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  app.endStreams();
  server.closeIdleConnections();
  for (const socket of upgraded) socket.destroySoon();
  const cut = setTimeout(() => {
    server.closeAllConnections();
    for (const socket of upgraded) socket.destroy();
  }, graceMs);
  await closed;
  clearTimeout(cut);
}

/** An IPv6 address stands in brackets. */
const inUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);
