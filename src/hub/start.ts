import { join } from "node:path";
import { WebSocketServer } from "ws";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type App, createApp } from "../http/app.ts";
import { hostNames } from "../http/host-names.ts";
import { type Listening, listen } from "../http/listen.ts";
import type { Exchange, Identity, UpgradeRoute } from "../http/route.ts";
import { bearerOf, sameToken } from "../http/token.ts";
import type { Home } from "../store/home.ts";
import { Credentials } from "./credentials.ts";
import { problem } from "./errors.ts";
import { RecordFolder } from "./files.ts";
import { Overview } from "./overview.ts";
import { pipe } from "./pipe.ts";
import { Registry } from "./registry.ts";
import { hubRoutes } from "./routes.ts";
import { defaultTimes, type WatchTimes, watchSessions } from "./watch.ts";

export interface HubOptions {
  home: Home;
  host: string;
  port: number;
  token: string;
  /** Names it is reached by beside its own. */
  names: readonly string[];
  env: NodeJS.ProcessEnv;
  clock: Clock;
  log: Log;
  times?: Partial<WatchTimes>;
}

export interface RunningHub extends Pick<Listening, "url" | "port"> {
  app: App;
  close(): Promise<void>;
}

/** The hub: terminal hosts register here, and whoever has its token sees and reaches all of them in one place. */
export async function startHub(options: HubOptions): Promise<RunningHub> {
  const { home, host, token, env, clock, log } = options;
  const registry = new Registry(new RecordFolder(join(home.root, "hub", "sessions")));
  const credentials = new Credentials(new RecordFolder(join(home.root, "hub", "credentials")), registry, log);
  const overview = new Overview(registry);
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
  const times = { ...defaultTimes, ...options.times };
  const stop = watchSessions(registry, {
    clock,
    log,
    times,
    heard: (session, message) => overview.heard(session, message),
  });
  const listening = await listen(app, { host, port: options.port });
  names = hostNames({ host, port: listening.port }, env, options.names);
  return {
    url: listening.url,
    port: listening.port,
    app,
    async close() {
      stop();
      overview.close();
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
