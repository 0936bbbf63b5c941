import type { IncomingMessage } from "node:http";
import type { Log } from "../../../lib/base/log.ts";
import { hostNames } from "../../../lib/http/access/host-names.ts";
import { bearerOf, newToken, sameToken } from "../../../lib/http/access/token.ts";
import { type App, createApp } from "../../../lib/http/app.ts";
import { type Listening, listen } from "../../../lib/http/listen.ts";
import type { Identity, Route, UpgradeRoute } from "../../../lib/http/route.ts";
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
  const { port, socket, healthPort } = host.settings;
  const isToken = (text: string) => sameToken(text, token);
  const hookToken = newToken();
  const operations = operationsOf(host, () => sockets.clients());
  const sockets = socketRoute({ host, operations, isToken });
  const whole = { routes: allRoutes(operations), upgrades: [sockets.route] };
  const doors = new Doors(host.settings, env, log);
  const close = async () => {
    sockets.close();
    await doors.close();
  };
  try {
    if (port !== undefined) {
      const here = await doors.openPort(port, whole, (request, url) => {
        const shown = bearerOf(request) ?? (url.pathname === "/ws" ? url.searchParams.get("token") : undefined);
        if (shown && isToken(shown)) return ALL;
        return shown && sameToken(shown, hookToken) ? HOOK : undefined;
      });
      host.address = { COOP_URL: `http://127.0.0.1:${here}`, COOP_HOOK_TOKEN: hookToken };
    }
    if (socket !== undefined) await doors.openSocket(socket, whole);
    if (port === undefined && socket !== undefined) host.address = { COOP_SOCKET: socket };
    if (healthPort !== undefined)
      await doors.openPort(healthPort, { routes: healthRoutes(operations), upgrades: [] }, () => undefined);
    return { urls: doors.urls, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const ALL: Identity = { name: "token", scope: "all" };
/** Given to the agent, and good for its hooks alone: see routes.ts. */
const HOOK: Identity = { name: "hook", scope: "read" };

interface Content {
  routes: readonly Route[];
  upgrades: readonly UpgradeRoute[];
}

/** What listens, so that all of it can be closed again. */
class Doors {
  readonly urls: string[] = [];
  readonly #open: Listening[] = [];
  readonly #where: { host: string; names: readonly string[] };
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: Log;

  constructor(where: { host: string; names: readonly string[] }, env: NodeJS.ProcessEnv, log: Log) {
    this.#where = where;
    this.#env = env;
    this.#log = log;
  }

  /** Returns the port. On another address than loopback's it is opened there, too: that is where the agent's hooks come from. */
  async openPort(
    port: number,
    content: Content,
    authenticate: (request: IncomingMessage, url: URL) => Identity | undefined,
  ): Promise<number> {
    const { host, names: more } = this.#where;
    let names: readonly string[] = [];
    const app = this.#app(content, () => names, authenticate);
    const listening = await listen(app, { host, port });
    this.#open.push(listening);
    this.urls.push(listening.url);
    names = hostNames({ host, port: listening.port }, this.#env, more);
    if (!/^127\.|^0\.0\.0\.0$|^::$|^localhost$/.test(host)) {
      this.#open.push(await listen(app, { host: "127.0.0.1", port: listening.port }));
    }
    return listening.port;
  }

  async openSocket(path: string, content: Content): Promise<void> {
    const app = this.#app(
      content,
      () => ["*"],
      () => ALL,
    );
    const listening = await listen(app, { socket: path });
    this.#open.push(listening);
    this.urls.push(listening.url);
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((listening) => listening.close(GRACE_MS)));
  }

  #app(
    content: Content,
    hosts: () => readonly string[],
    authenticate: (request: IncomingMessage, url: URL) => Identity | undefined,
  ): App {
    return createApp({ ...content, hosts, authenticate, problem, log: this.#log, limits: LIMITS });
  }
}

const GRACE_MS = 500;
const LIMITS = { bodyBytes: 16 * 1024 * 1024 };
