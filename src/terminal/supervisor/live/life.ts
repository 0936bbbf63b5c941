import type { Clock } from "../../../lib/base/clock.ts";
import type { Log } from "../../../lib/base/log.ts";
import type { Marker } from "../../../lib/process/stop.ts";
import { TerminalApi } from "../host/terminal-api.ts";
import { hostEnvironment, startHost } from "../host/terminal-host.ts";
import type { Settings } from "../settings.ts";
import type { Signals } from "../status/signals.ts";
import type { Status } from "../status/status.ts";
import type { StopRequest } from "../status/stop-request.ts";
import { type Stopped, stopAgent } from "../status/stopping.ts";
import { attend } from "./attend.ts";
import type { ExitWatch } from "./exit-monitor.ts";
import type { Life } from "./restart.ts";

export interface LifeOptions {
  settings: Settings;
  env: Readonly<Record<string, string>>;
  token: string;
  marker: Marker;
  signals: Signals;
  status: Status;
  stopRequest: ExitWatch["stopRequest"] & Pick<StopRequest, "fulfil">;
  loginVersion: ExitWatch["loginVersion"];
  clock: Clock;
  log: Log;
}

export interface Lived {
  life: Life;
  /** Set when the end was asked for from outside. */
  stopped: Stopped | undefined;
}

/** The agent from its start to its end, in a terminal host of its own. */
export async function live(options: LifeOptions, resume: string | undefined): Promise<Lived> {
  const { settings, token, marker, signals, status, stopRequest, loginVersion, clock, log } = options;
  const begun = clock.monotonic();
  status.begins(resume);
  const env = hostEnvironment(options.env, token, settings.graceMs);
  const host = await startHost(settings, { env, resume, marker });
  status.terminal = { url: `http://${settings.podIp}:${settings.port}`, pid: host.pid };
  log.info("agent started", { pid: host.pid, resume: resume ?? null });

  const gone = new AbortController();
  void host.exited.then(() => gone.abort());
  const api = new TerminalApi(settings.port, token);
  const over = AbortSignal.any([gone.signal, signals.stop]);
  const onSilence = () => {
    log.error("the terminal host doesn't answer any more: ending it");
    void host.stop(0);
  };
  try {
    const exit = { stopRequest, loginVersion };
    const { reached, excused } = await attend(
      { api, clock, log, status, nudge: settings.nudge, lookMs: settings.pace.lookMs, exit, onSilence },
      over,
    );
    let stopped: Stopped | undefined;
    if (!gone.signal.aborted && signals.stop.aborted) {
      status.phase = { phase: "stopping" };
      log.info("stopping", { signal: signals.name(), graceMs: settings.graceMs });
      stopped = await stopAgent({ api, host, signals, graceMs: settings.graceMs, clock, log });
    }
    const { code } = await host.exited;
    status.ended(code);
    return { life: { code, elapsedMs: clock.monotonic() - begun, reached, resumed: resume, excused }, stopped };
  } finally {
    await host.stop(0); // what the agent left running holds files and ports of the next life
  }
}
