import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { packageRoot } from "../../lib/files/package-root.ts";
import { openTokenFile } from "../../lib/http/access/token-file.ts";
import type { App } from "../../lib/http/app.ts";
import { type Listening, listen } from "../../lib/http/listen.ts";
import { serverTokenFile } from "./access/server-token.ts";
import { allHandlers } from "./api/all-handlers.ts";
import { createIdempotency } from "./api/idempotency.ts";
import { createServerApp } from "./app.ts";
import { type BackgroundOptions, startBackground } from "./background.ts";
import type { ServerPorts } from "./ports.ts";
import { claimServer, refuseSecond } from "./server-file.ts";

export interface ServeOptions {
  address: { host: string; port: number };
  /** A port that is taken is an error; otherwise any free one will do. */
  exactPort: boolean;
  /** Further names that the server answers to, as a proxy in front of it sends them. */
  allowHosts: readonly string[];
  person: string;
  background: BackgroundOptions;
  checkResults: boolean;
}

export interface Server {
  url: string;
  port: number;
  app: App;
  /** Requests under way may finish within the grace; runs go on in their hosts. */
  stop(graceMs: number): Promise<void>;
}

/** One server for a home: it owns no run, so it may come and go at any time. */
export async function startServer(ports: ServerPorts, options: ServeOptions): Promise<Server> {
  const { home, clock } = ports;
  const { address, allowHosts } = options;
  refuseSecond(home);
  const { handlers, counted, close } = allHandlers(ports);
  const idempotency = createIdempotency(home, () => clock.now());
  let listening: Listening | undefined;
  let ready = false;
  const port = () => listening?.port ?? 0;
  const app = createServerApp(ports, {
    handlers,
    upgrades: ports.terminals.upgrades,
    counted,
    idempotency,
    person: options.person,
    checkResults: options.checkResults,
    serverToken: openTokenFile(serverTokenFile(home)),
    port,
    hosts: () => exactHosts(address.host, port(), allowHosts),
    isReady: () => ready,
    web: join(packageRoot(), "dist", "web"),
  });
  listening = await listenNear(app, address, options.exactPort);
  const url = reachable(listening.url);
  let claim: ReturnType<typeof claimServer>;
  try {
    claim = claimServer(home, url, clock.now());
  } catch (error) {
    await listening.close();
    throw error;
  }
  const background = startBackground(ports, idempotency, options.background);
  ready = true;
  return {
    url,
    port: port(),
    app,
    async stop(graceMs) {
      ready = false;
      await Promise.all([listening.close(graceMs), within(graceMs, background.stop(), clock)]);
      close();
      claim.release();
    },
  };
}

/** A host that is being started is not waited for any longer: it goes on without us. */
const within = (ms: number, done: Promise<void>, clock: Clock): Promise<void> =>
  new Promise((resolve, reject) => {
    done.then(resolve, reject);
    clock.after(ms, resolve);
  });

async function listenNear(app: App, address: { host: string; port: number }, exact: boolean): Promise<Listening> {
  try {
    return await listen(app, address);
  } catch (error) {
    const taken = error instanceof AppError && error.code === "listen.taken";
    if (exact || !taken) throw error;
    return listen(app, { ...address, port: 0 });
  }
}

/**
 * What may stand in the Host header, and so in an Origin: never a name without the port, because what else this machine serves,
 * on port 80 say, is not us. Only the names of a proxy come without ours.
 */
export function exactHosts(host: string, port: number, allowed: readonly string[]): string[] {
  const bound = isWildcard(host) ? [] : [host.includes(":") ? `[${host}]` : host];
  const own = new Set(["127.0.0.1", "localhost", "[::1]", ...bound]);
  const names = [...own].map((name) => `${name}:${port}`);
  return [...names, ...allowed.flatMap((name) => [name, `${name}:${port}`])].map((name) => name.toLowerCase());
}

const isWildcard = (host: string): boolean => host === "0.0.0.0" || host === "::";

/** Whoever listens everywhere is reached here by this machine's own name. */
const reachable = (url: string): string => url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
