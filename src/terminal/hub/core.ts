import { join } from "node:path";
import type { Home } from "../../core/store/home.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Log } from "../../lib/base/log.ts";
import { Credentials } from "./credentials.ts";
import { RecordFolder } from "./files.ts";
import { Overview } from "./overview.ts";
import { Registry } from "./registry.ts";
import { defaultTimes, type WatchTimes, watchSessions } from "./watch.ts";

export interface CoreOptions {
  home: Home;
  clock: Clock;
  log: Log;
  times?: Partial<WatchTimes>;
}

/** What a hub knows and does, without a door: the hub's own listener and the server's page share it. */
export interface HubCore {
  registry: Registry;
  credentials: Credentials;
  overview: Overview;
  close(): void;
}

export function openHub({ home, clock, log, times }: CoreOptions): HubCore {
  const registry = new Registry(new RecordFolder(join(home.root, "hub", "sessions")));
  const credentials = new Credentials(new RecordFolder(join(home.root, "hub", "credentials")), registry, log);
  const overview = new Overview(registry);
  const stop = watchSessions(registry, {
    clock,
    log,
    times: { ...defaultTimes, ...times },
    heard: (session, message) => overview.heard(session, message),
  });
  return {
    registry,
    credentials,
    overview,
    close() {
      stop();
      overview.close();
    },
  };
}
