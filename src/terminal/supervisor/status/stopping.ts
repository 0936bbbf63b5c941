import { messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Log } from "../../../lib/base/log.ts";
import type { Child } from "../../../lib/process/child.ts";
import type { TerminalApi } from "../host/terminal-api.ts";
import type { Signals } from "./signals.ts";

interface StopOptions {
  api: TerminalApi;
  host: Child;
  signals: Pick<Signals, "force" | "name">;
  graceMs: number;
  clock: Clock;
  log: Log;
}

export interface Stopped {
  /** The agent ended by itself, in time. */
  obeyed: boolean;
  code: number;
}

const LOOK_MS = 50;
/** What the host needs to end once its agent has, and what KILL takes. */
const RESERVE_MS = 3000;

/**
 * The signal goes to the agent itself, through its host, which stays until the agent has ended: told at the same time, it would
 * hang up on an agent that is still putting things in order. Then the host; then whatever is left.
 */
export async function stopAgent({ api, host, signals, graceMs, clock, log }: StopOptions): Promise<Stopped> {
  const begun = clock.monotonic();
  const left = () => graceMs - (clock.monotonic() - begun);
  const gone = new AbortController();
  void host.exited.then(() => gone.abort());
  const hurry = AbortSignal.any([signals.force, gone.signal]);

  const told = await tell(api, signals.name(), log);
  if (!told) host.signal("SIGTERM");
  let ending: number | undefined;
  while (!hurry.aborted && ending === undefined && left() > Math.min(RESERVE_MS, graceMs / 2)) {
    ending = told ? await exitCodeIn(api) : undefined;
    if (ending === undefined) await clock.sleep(LOOK_MS, hurry);
  }
  const obeyed = !signals.force.aborted && (ending !== undefined || gone.signal.aborted);
  if (!obeyed) {
    log.warn(signals.force.aborted ? "asked again: ending the agent at once" : "the agent did not end in time");
    await tell(api, "SIGKILL", log);
    const limit = clock.monotonic() + LAST_MS;
    while (ending === undefined && !gone.signal.aborted && clock.monotonic() < limit) {
      ending = await exitCodeIn(api);
      if (ending === undefined) await clock.sleep(LOOK_MS, gone.signal);
    }
  }
  if (told) host.signal("SIGTERM"); // its own way out, so that it can put its files in order
  await (obeyed ? clock.sleep(Math.max(left(), 0), hurry) : clock.sleep(LAST_MS, gone.signal));
  const exit = await host.stop(0); // also sweeps what the agent left behind
  return { obeyed, code: ending ?? exit.code };
}

const LAST_MS = 1000;

/** Whether the agent got it. */
async function tell(api: TerminalApi, signal: NodeJS.Signals, log: Log): Promise<boolean> {
  try {
    await api.signal(signal);
    return true;
  } catch (error) {
    log.info("the terminal host passes no signal on", { signal, error: messageOf(error) });
    return false;
  }
}

async function exitCodeIn(api: TerminalApi): Promise<number | undefined> {
  try {
    const { state, exit_code: code } = await api.status();
    return state === "exited" || typeof code === "number" ? (code ?? 0) : undefined;
  } catch {
    return undefined; // it may be ending already: its own exit says the same
  }
}
