import { WebSocketServer } from "ws";
import type { Clock } from "../../lib/base/clock.ts";
import type { Log } from "../../lib/base/log.ts";
import { hostNames } from "../../lib/http/access/host-names.ts";
import { bearerOf, sameToken } from "../../lib/http/access/token.ts";
import { type App, createApp } from "../../lib/http/app.ts";
import { type Listening, listen } from "../../lib/http/listen.ts";
import type { Exchange, Identity, UpgradeRoute } from "../../lib/http/route.ts";
import type { HubCore } from "./core.ts";
import { problem } from "./errors.ts";
import type { Overview } from "./overview.ts";
import { pipe } from "./pipe.ts";
import type { Registry } from "./registry.ts";
import { hubRoutes } from "./routes.ts";

export interface HubOptions {
  core: HubCore;
  host: string;
  port: number;
  token: string;
  /** Names it is reached by beside its own. */
  names: readonly string[];
  env: NodeJS.ProcessEnv;
  clock: Clock;
  log: Log;
}

export interface RunningHub extends Pick<Listening, "url" | "port"> {
  app: App;
  close(): Promise<void>;
}

/** The hub: terminal hosts register here, and whoever has its token sees and reaches all of them in one place. */
export async function startHub({ core, host, token, env, clock, log, ...options }: HubOptions): Promise<RunningHub> {
  const { registry, credentials, overview } = core;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 16 * 1024 * 1024, perMessageDeflate: false });
  let names: readonly string[] = [];
  const app = createApp({
    routes: hubRoutes({ registry, credentials, clock }),
    upgrades: upgradesOf(registry, overview, sockets),
    hosts: () => names,
    authenticate: (request, url) => {
      const shown = bearerOf(request) ?? (url.pathname.startsWith("/ws/") ? url.searchParams.get("token") : undefined);
      return shown && sameToken(shown, token) ? OWNER : undefined;
    },
    problem,
    log,
  });
  const listening = await listen(app, { host, port: options.port });
  names = hostNames({ host, port: listening.port }, env, options.names);
  return {
    url: listening.url,
    port: listening.port,
    app,
    async close() {
      core.close();
      for (const client of sockets.clients) client.close(1001, "the hub ends");
      await listening.close(500);
    },
  };
}

const OWNER: Identity = { name: "token", scope: "all" };

function upgradesOf(registry: Registry, overview: Overview, sockets: WebSocketServer): UpgradeRoute[] {
  const scopeOf = (identity: Exchange["identity"]) => (identity?.scope === "all" ? "all" : "read");
  return [
    {
      path: "/ws/mux",
      access: "read",
      accept: ({ request, identity }, socket, head) =>
        sockets.handleUpgrade(request, socket, head, (client) => overview.accept(client, scopeOf(identity))),
    },
    {
      path: "/ws/{id}",
      access: "all",
      accept({ request, url, params }, socket, head) {
        const session = registry.require(params.id ?? "");
        const query = new URLSearchParams({ subscribe: "pty,screen,state" });
        for (const [key, value] of url.searchParams) if (key !== "token") query.set(key, value);
        sockets.handleUpgrade(request, socket, head, (client) => void pipe(client, session, String(query)));
      },
    },
  ];
}
