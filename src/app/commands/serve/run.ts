import { readConfig } from "../../../core/config/config-file.ts";
import { channelsOf } from "../../../core/launch/notifying.ts";
import { person } from "../../../core/runs/run-access.ts";
import { homePath, openHome } from "../../../core/store/home.ts";
import { runsBackward } from "../../../core/store/ledger/ledger.ts";
import { distrustWorkspace } from "../../../core/workspaces/git/writable-places.ts";
import { startServer } from "../../../faces/server/start.ts";
import { createLog, type Level, type Log } from "../../../lib/base/log.ts";
import type { Context } from "../../../lib/command/command.ts";
import type { HubCore } from "../../../terminal/hub/core.ts";
import type { RunningHub } from "../../../terminal/hub/start.ts";
import { isLoopback, type Place } from "../serve.ts";
import { showPage } from "./open.ts";
import { portsOf } from "./ports.ts";

const GRACE_MS = 5000;
const MAX_CONCURRENT = 2;

/** Serves until it is told to stop. */
export async function serve(
  place: Place & { isOpening: boolean; withHub: boolean },
  context: Context,
): Promise<number> {
  const { env, clock, stderr } = context;
  const home = openHome(homePath(env));
  for (const folder of new Set([...runsBackward(home)].map(({ cwd }) => cwd))) distrustWorkspace(folder);
  const log = createLog({ sink: (line) => stderr.write(line), level: levelOf(env, stderr.isTTY), now: clock.now });
  const hubCore = place.withHub
    ? (await import("../../../terminal/hub/core.ts")).openHub({ home, clock, log })
    : undefined;
  const ports = await portsOf(home, log, hubCore, context);
  const { max_concurrent: maxConcurrent = MAX_CONCURRENT } = await readConfig(home.root);
  context.onOutputGone(() => {}); // whoever read our address has it
  stderr.on("error", () => {}); // nor does a log that nobody reads any more end a server
  const server = await startServer(ports, {
    ...place,
    person: person(),
    checkResults: env.COX_CHECK_RESULTS === "1",
    background: {
      by: `${person()} queue`,
      maxConcurrent,
      channels: async () => channelsOf(await readConfig(home.root), env),
    },
  });
  let hub: RunningHub | undefined;
  let close: (() => void) | undefined;
  try {
    const told = whenTold();
    hub = hubCore && (await openHubDoor(hubCore, log, context));
    log.info("serving", { url: server.url, hub: hub?.url, home: home.root, pid: process.pid });
    if (!isLoopback(place.address.host)) {
      log.warn("other machines can reach this server; without TLS in front of it, tokens travel in the clear");
    }
    close = await showPage(home, server.url, place.isOpening, context);
    log.info("stopping", { signal: await told });
  } finally {
    close?.();
    await Promise.all([server.stop(GRACE_MS), hub?.close()]);
  }
  log.info("stopped");
  // Whatever is left, the end of a host's start say, must not keep a stopped server alive.
  setTimeout(() => process.exit(0), 500).unref();
  return 0;
}

/** Where terminals register: a door of its own, because they come from elsewhere and have the hub's token. */
async function openHubDoor(core: HubCore, log: Log, context: Context): Promise<RunningHub> {
  const { startHubHere } = await import("../../start-hub.ts");
  return (await startHubHere(core, {}, log, context)).hub;
}

/** The first signal asks to stop; the second doesn't ask. */
function whenTold(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(name, () => {
        resolve(name);
        for (const each of ["SIGINT", "SIGTERM"] as const) process.once(each, () => process.exit(1));
      });
    }
  });
}

/** A person at a terminal wants to hear of trouble only; whoever collects logs, of everything that happens. */
function levelOf(env: NodeJS.ProcessEnv, isTerminal: boolean): Level {
  const wanted = env.COX_LOG;
  if (wanted === "debug" || wanted === "info" || wanted === "warn" || wanted === "error") return wanted;
  return isTerminal ? "warn" : "info";
}
