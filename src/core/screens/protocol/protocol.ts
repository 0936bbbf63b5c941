import { AppError, messageOf } from "../../../contract/errors.ts";
import type { Session } from "../../../contract/sessions/session.ts";
import { type Clock, systemClock } from "../../../lib/base/clock.ts";
import { driverFor } from "../drivers/index.ts";
import { defaultWaits } from "../settings.ts";
import { readConfig } from "./config.ts";
import { type Start, TerminalSession } from "./session.ts";

/** How to speak to an agent that speaks no protocol: as a person at its terminal. `start` must give it one. */
export function terminalProtocol(clock: Clock = systemClock) {
  return {
    name: "terminal",
    async open(
      start: Start,
      options: { config: Readonly<Record<string, unknown>> },
      signal: AbortSignal,
    ): Promise<Session> {
      signal.throwIfAborted();
      const config = readConfig(options.config);
      const waits = { ...defaultWaits, screenPoll: Math.min(defaultWaits.screenPoll, config.quiet_ms) };
      const session = new TerminalSession(start, config, driverFor(config.driver, config), clock, waits);
      signal.addEventListener("abort", () => void session.close(), { once: true });
      await session.open();
      if (signal.aborted) throw new AppError("run.not_live", messageOf(signal.reason));
      return session;
    },
  };
}
