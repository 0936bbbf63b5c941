import { messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Log } from "../../../lib/base/log.ts";
import type { AgentView, TerminalApi } from "../host/terminal-api.ts";
import type { Status } from "../status/status.ts";
import type { StopRequest } from "../status/stop-request.ts";
import { limitedUntil } from "./rate-limit.ts";

export interface ExitWatch {
  stopRequest: Pick<StopRequest, "isHere" | "isMade">;
  /** Changes when somebody has signed in. */
  loginVersion(): string;
}

interface Watched {
  api: Pick<TerminalApi, "shutdown">;
  clock: Clock;
  log: Log;
  status: Status;
}

export type Ending =
  /** The host may go now. `excused`: it was no failure of the agent's. */
  { do: "end"; excused: boolean; why: string } | { do: "hold" } | { do: "go on" };

export interface Seen {
  state: string;
  now: number;
  parkedUntil: number | undefined;
  /** The login needs a person, and nobody has signed in since the agent ended. */
  needsLogin: boolean;
  exitedAt: number | undefined;
  stopRequested: boolean;
}

const LOGIN_RETRY_MS = 5 * 60_000;

/**
 * Pure: whether the host shall end. It is kept while there is something to wait for, since it answers the pod's probes, and a
 * person can see why nothing happens.
 */
export function endingOf({ state, now, parkedUntil, needsLogin, exitedAt, stopRequested }: Seen): Ending {
  const quiet = state === "idle" || state === "exited" || state === "error" || state === "parked";
  if (stopRequested && quiet) return { do: "end", excused: true, why: "it was asked to stop" };
  if (parkedUntil !== undefined) {
    return now < parkedUntil ? { do: "hold" } : { do: "end", excused: true, why: "the limit has passed" };
  }
  if (state !== "exited") return { do: "go on" };
  if (!needsLogin) return { do: "end", excused: false, why: "the agent has ended" };
  const waited = now - (exitedAt ?? now);
  return waited < LOGIN_RETRY_MS ? { do: "hold" } : { do: "end", excused: true, why: "another try to sign in" };
}

const ASK_EVERY_MS = 30_000;
const SHUTDOWN_EVERY_MS = 10_000;

export function watchExit(watch: ExitWatch, { api, clock, log, status }: Watched) {
  let parkedUntil: number | undefined;
  let exitedAt: number | undefined;
  let loginThen = "";
  let nextAsk = 0;
  let nextShutdown = 0;
  let excused = false;

  const park = (view: AgentView) => {
    const until = limitedUntil(view, clock.now());
    if (view.state === "working") parkedUntil = undefined; // somebody made it go on
    if (until === undefined || parkedUntil !== undefined) return;
    parkedUntil = until;
    log.warn("parked: the agent reached a rate limit", { until: new Date(until).toISOString() });
  };

  const asked = async (): Promise<boolean> => {
    if (watch.stopRequest.isHere()) status.stopRequested = true;
    if (!status.stopRequested && clock.monotonic() >= nextAsk) {
      nextAsk = clock.monotonic() + ASK_EVERY_MS;
      if (await watch.stopRequest.isMade()) status.stopRequested = true;
    }
    return status.stopRequested;
  };

  const phaseOf = (ending: Ending, state: string) => {
    if (ending.do === "hold") {
      status.phase =
        parkedUntil === undefined
          ? { phase: "reauth-needed" }
          : { phase: "parked", until: parkedUntil, why: "rate limit" };
    } else if (ending.do === "go on" && state !== "starting") {
      status.phase = { phase: "running" };
    }
  };

  return {
    excused: () => excused,
    async seen(view: AgentView): Promise<void> {
      park(view);
      const now = clock.now();
      if (view.state === "exited" && exitedAt === undefined) {
        exitedAt = now;
        loginThen = watch.loginVersion();
      }
      const needsLogin = status.reauthNeeded && watch.loginVersion() === loginThen;
      const stopRequested = await asked();
      const ending = endingOf({ state: view.state, now, parkedUntil, needsLogin, exitedAt, stopRequested });
      phaseOf(ending, view.state);
      if (ending.do !== "end" || clock.monotonic() < nextShutdown) return;
      nextShutdown = clock.monotonic() + SHUTDOWN_EVERY_MS;
      excused ||= ending.excused || status.reauthNeeded;
      log.info("ending the terminal host", { why: ending.why });
      await api
        .shutdown()
        .catch((error: unknown) => log.warn("could not end the terminal host", { error: messageOf(error) }));
    },
  };
}
