import { AppError } from "../../contract/errors.ts";
import { type LifeOptions, live } from "./live/life.ts";
import { afterLife, mayResume, NO_TALLY, type Tally, waitBefore } from "./live/restart.ts";
import { findConversation, removeStalePipes, retire } from "./live/resume.ts";
import type { Places } from "./places.ts";

export interface SuperviseOptions extends LifeOptions {
  places: Pick<Places, "conversations" | "terminal">;
  random: () => number;
}

/** Starts the agent again and again, until it is stopped, asked to stay down, or fails too often. Returns the exit code. */
export async function supervise(options: SuperviseOptions): Promise<number> {
  const { settings, places, signals, status, clock, log } = options;
  let tally: Tally = NO_TALLY;
  for (;;) {
    if (signals.stop.aborted) return 0;
    const pipes = removeStalePipes(places.terminal);
    if (pipes > 0) log.info("removed stale pipes", { pipes });
    const { life, stopped } = await live(options, conversationFor(options, tally));
    if (stopped !== undefined) return stopped.obeyed ? 0 : stopped.code;
    if (status.stopRequested || (await options.stopRequest.isMade())) {
      await options.stopRequest.fulfil();
      return 0;
    }
    if (signals.stop.aborted) return 0;

    const verdict = afterLife(tally, life, settings.maxRestarts);
    tally = verdict.tally;
    status.restarts = tally.restarts;
    if (verdict.retire !== undefined) {
      retire(verdict.retire);
      log.warn("put a conversation aside that could not be resumed", { log: verdict.retire });
    }
    const seconds = Math.round(life.elapsedMs / 1000);
    const count = `${tally.restarts}/${settings.maxRestarts}`;
    log.info(`agent ended ${life.code} after ${seconds}s (restart ${count})`, { excused: life.excused });
    if (verdict.giveUp) {
      throw new AppError(
        "agent.failed",
        `max restarts (${settings.maxRestarts}) reached; the log above says how each one ended`,
      );
    }
    const waitMs = life.excused ? 0 : waitBefore(tally, options.random, settings.pace.restartMs);
    status.phase = { phase: "waiting", until: clock.now() + waitMs };
    await clock.sleep(waitMs, signals.stop);
  }
}

/** Only Claude's conversations can be found on disk. */
function conversationFor({ settings, places }: SuperviseOptions, tally: Tally): string | undefined {
  if (!settings.resume || settings.kind !== "claude" || !mayResume(tally)) return undefined;
  return findConversation(places.conversations, settings.workspace);
}
