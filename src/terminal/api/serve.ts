import type { IncomingMessage } from "node:http";
import type { Log } from "../../base/log.ts";
import { createApp } from "../../http/app.ts";
import { hostNames } from "../../http/host-names.ts";
import { type Listening, listen } from "../../http/listen.ts";
import type { Identity } from "../../http/route.ts";
import { bearerOf, sameToken } from "../../http/token.ts";
import type { TerminalHost } from "../host.ts";
import { problem } from "./errors.ts";
import { operationsOf } from "./operations.ts";
import { allRoutes, healthRoutes } from "./routes.ts";
import { socketRoute } from "./socket.ts";

export interface Served {
  /** Of the main port, then the socket, then the health port: those that were asked for. */
  urls: string[];
  close(): Promise<void>;
}

/** Opens the doors of a host: the main port with its token, the unix socket with its file rights, the health port with neither. */
export async function serve(host: TerminalHost, token: string, env: NodeJS.ProcessEnv, log: Log): Promise<Served> {
  const { settings } = host;
  const isToken = (text: string) => sameToken(text, token);
  const operations = operationsOf(host, () => sockets.clients());
  const sockets = socketRoute({ host, operations, isToken });
  const routes = allRoutes(operations);
  const open: Listening[] = [];
  const app = (
    names: () => readonly string[],
    authenticate: (request: IncomingMessage, url: URL) => Identity | undefined,
    all = true,
  ) =>
    createApp({
      routes: all ? routes : healthRoutes(operations),
      upgrades: all ? [sockets.route] : [],
      hosts: names,
      authenticate,
      problem,
      log,
      limits: LIMITS,
    });

  if (settings.port !== undefined) {
    let names: readonly string[] = [];
    const main = app(
      () => names,
      (request, url) => {
        const shown = bearerOf(request) ?? (url.pathname === "/ws" ? url.searchParams.get("token") : undefined);
        return shown && isToken(shown) ? ALL : undefined;
      },
    );
    const listening = await listen(main, { host: settings.host, port: settings.port });
    names = hostNames({ host: settings.host, port: listening.port }, env, settings.names);
    open.push(listening);
    host.address = { COOP_URL: `http://${addressFor(settings.host)}:${listening.port}` };
  }
  if (settings.socket !== undefined) {
    open.push(
      await listen(
        app(
          () => ["*"],
          () => ALL,
        ),
        { socket: settings.socket },
      ),
    );
    if (settings.port === undefined) host.address = { COOP_SOCKET: settings.socket };
  }
  if (settings.healthPort !== undefined) {
    let names: readonly string[] = [];
    const health = app(
      () => names,
      () => undefined,
      false,
    );
    const listening = await listen(health, { host: settings.host, port: settings.healthPort });
    names = hostNames({ host: settings.host, port: listening.port }, env, settings.names);
    open.push(listening);
  }
  return {
    urls: open.map(({ url }) => url),
    close: async () => {
      sockets.close();
      await Promise.all(open.map((listening) => listening.close(GRACE_MS)));
    },
  };
}

const ALL: Identity = { name: "token", scope: "all" };
const GRACE_MS = 500;
const LIMITS = { bodyBytes: 16 * 1024 * 1024 };

/** Where a program on this machine finds somebody who listens there. */
const addressFor = (host: string) =>
  host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
