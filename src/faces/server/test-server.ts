import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type ApiKey, api } from "../../contract/api/index.ts";
import { type Home, openHome } from "../../core/store/home.ts";
import { type Clock, systemClock } from "../../lib/base/clock.ts";
import { createLog } from "../../lib/base/log.ts";
import { openTokenFile } from "../../lib/http/access/token-file.ts";
import type { App } from "../../lib/http/app.ts";
import { listen } from "../../lib/http/listen.ts";
import { serverTokenFile } from "./access/server-token.ts";
import type { Handlers } from "./api/handlers.ts";
import { createIdempotency } from "./api/idempotency.ts";
import { createServerApp } from "./app.ts";
import type { ServerPorts } from "./ports.ts";
import type { DoorKey } from "./routes/operations.ts";

export interface TestServer {
  app: App;
  home: Home;
  url: string;
  port: number;
  token: string;
  /** With the server's own token, and JSON. */
  headers: Record<string, string>;
  web: string;
  logged: string[];
  close(): Promise<void>;
}

/** For tests: the real app on a free port; operations that a test doesn't hand in answer with nothing. */
export async function testServer(
  handlers: Partial<Handlers<ApiKey>> = {},
  { clock = systemClock, home = openHome(temporaryFolder()) }: { clock?: Clock; home?: Home } = {},
): Promise<TestServer> {
  const nothing = Object.fromEntries(Object.keys(api).map((key) => [key, () => undefined]));
  const logged: string[] = [];
  const log = createLog({ sink: (line) => void logged.push(line), level: "info", now: clock.now });
  const unused = new Proxy(
    {},
    { get: (_, name) => () => Promise.reject(new Error(`not for this test: ${String(name)}`)) },
  );
  const ports = {
    home,
    clock,
    log,
    env: {},
    start: unused,
    agentTrials: unused,
    notifySettings: unused,
  } as unknown as ServerPorts;
  const token = openTokenFile(serverTokenFile(home));
  const web = join(home.root, "web");
  mkdirSync(web, { recursive: true });
  let port = 0;
  const app = createServerApp(ports, {
    handlers: { ...nothing, ...handlers } as Handlers<Exclude<ApiKey, DoorKey>>,
    counted: { liveRuns: () => 1, openRequests: () => 2, streamClients: () => 3, eventsSent: () => 4 },
    idempotency: createIdempotency(home, clock.now),
    serverToken: token,
    person: "ada@laptop",
    port: () => port,
    hosts: () => [`127.0.0.1:${port}`, `localhost:${port}`],
    isReady: () => true,
    web,
    checkResults: true,
  });
  const listening = await listen(app, { host: "127.0.0.1", port: 0 });
  port = listening.port;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return { app, home, url: listening.url, port, token, headers, web, logged, close: () => listening.close() };
}
