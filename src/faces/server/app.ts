import type { ApiKey } from "../../contract/api/index.ts";
import { AppError } from "../../contract/errors.ts";
import { runOfHandle } from "../../core/store/runs/handles.ts";
import type { Limits } from "../../lib/http/access/limits.ts";
import { type App, createApp } from "../../lib/http/app.ts";
import type { Identity, Route, UpgradeRoute } from "../../lib/http/route.ts";
import { createAuth } from "./access/auth.ts";
import { API, apiRoutes } from "./api/api-routes.ts";
import type { Handlers } from "./api/handlers.ts";
import type { Idempotency } from "./api/idempotency.ts";
import { type OpenApi, openApi } from "./api/openapi.ts";
import type { ServerPorts } from "./ports.ts";
import { type DoorKey, operationHandlers } from "./routes/operations.ts";
import { type CountedElsewhere, serverMetrics } from "./server-metrics.ts";
import { staticFiles } from "./static.ts";

export interface ServerAppOptions {
  /** All but the door's own. */
  handlers: Handlers<Exclude<ApiKey, DoorKey>>;
  upgrades?: readonly UpgradeRoute[];
  counted: CountedElsewhere;
  idempotency: Idempotency;
  serverToken: string;
  /** Whom this account belongs to: `ada@laptop`. */
  person: string;
  port: () => number;
  hosts: () => readonly string[];
  /** Whether it takes work: not before it is complete, not while it stops. */
  isReady: () => boolean;
  /** Where the page's files lie. */
  web: string;
  checkResults: boolean;
  limits?: Partial<Limits>;
}

/** Everything that answers: the API, its description, the page, and what machines ask a server. */
export function createServerApp(ports: ServerPorts, options: ServerAppOptions): App {
  const { home, clock, log } = ports;
  const { counted, idempotency, checkResults, person, port, serverToken } = options;
  const auth = createAuth({ home, clock, serverToken, port });
  const metrics = serverMetrics(counted, () => clock.monotonic());
  const handlers: Handlers<ApiKey> = { ...options.handlers, ...operationHandlers(ports, auth, counted, person) };
  let description: OpenApi | undefined; // made for the first who asks: it takes longer than starting all the rest
  const plain: Route[] = [
    {
      method: "GET",
      path: `${API}/openapi.json`,
      access: "read",
      handle: () => ({ json: (description ??= openApi()) }),
    },
    { method: "GET", path: "/healthz", access: "open", handle: () => ({ text: "ok\n" }) },
    {
      method: "GET",
      path: "/readyz",
      access: "loopback",
      handle: () => {
        if (options.isReady()) return { text: "ready\n" };
        throw new AppError("server.not_ready", "the server is starting or stopping");
      },
    },
    {
      method: "GET",
      path: "/metrics",
      access: "loopback",
      handle: () => ({ headers: { "content-type": "text/plain; version=0.0.4" }, text: metrics.registry.text() }),
    },
  ];
  const nameOf = (identity: Identity | undefined) => callerName(identity, person);
  return createApp({
    routes: [
      ...apiRoutes({ handlers, idempotency, nameOf, runOfHandle: (n) => runOfHandle(home, n), checkResults }),
      ...plain,
    ],
    upgrades: options.upgrades,
    hosts: options.hosts,
    authenticate: auth.authenticate,
    fallback: staticFiles(options.web),
    log,
    limits: { bodyBytes: BODY_BYTES, ...options.limits },
    watch: (route) => {
      const end = metrics.watch(route);
      return (status) => {
        const ms = end(status);
        log.debug("request", { method: route?.method, route: route?.path, status, ms });
      };
    },
  });
}

/** The longest text of the API, written in JSON's widest escapes, still fits. */
const BODY_BYTES = 8 * 1024 * 1024;

function callerName(identity: Identity | undefined, person: string): string {
  if (identity === undefined) return "nobody";
  if (identity.name === "cookie") return `${person} browser`;
  return identity.name === "local" ? person : `token ${identity.name}`;
}
