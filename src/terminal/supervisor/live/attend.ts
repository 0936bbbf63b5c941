import { messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Log } from "../../../lib/base/log.ts";
import type { AgentView, TerminalApi } from "../host/terminal-api.ts";
import { OUR_PACE } from "../settings.ts";
import type { Status } from "../status/status.ts";
import { dismiss } from "./dismissal.ts";
import { type ExitWatch, watchExit } from "./exit-monitor.ts";
import { beginNudging, nudged, seen } from "./nudge.ts";

export interface AttendOptions {
  api: Pick<TerminalApi, "agent" | "screen" | "keys" | "nudge" | "shutdown">;
  clock: Clock;
  log: Log;
  status: Status;
  /** "" for none. */
  nudge: string;
  /** Between two looks. */
  lookMs?: number;
  exit: ExitWatch;
  /** The host doesn't answer any more, and won't. */
  onSilence(): void;
}

export interface Attended {
  reached: boolean;
  excused: boolean;
}

/** At first things happen quickly. */
const FIRST_LOOK_MS = 250;
const FIRST_MS = 15_000;
const DIALOG_EVERY_MS = 2000;
const DIALOGS_FOR_MS = 60_000;
const SILENT_MS = 60_000;

/** Looks at the agent again and again until `over`, and does what has to be done: dialogs, the first prompt, its end. */
export async function attend(options: AttendOptions, over: AbortSignal): Promise<Attended> {
  const { clock, status, lookMs = OUR_PACE.lookMs } = options;
  const begun = clock.monotonic();
  const exit = watchExit(options.exit, options);
  let nudging = beginNudging(options.nudge, begun);
  let nextDialog = begun;
  let answeredAt = begun;
  let reached = false;

  while (!over.aborted) {
    const view = await look(options);
    const now = clock.monotonic();
    if (over.aborted) break;
    if (view === undefined) {
      if (now - answeredAt > SILENT_MS) {
        options.onSilence();
        break;
      }
    } else {
      answeredAt = now;
      if (view.state === "idle" || view.state === "working") {
        reached = true;
        if (status.phase.phase === "starting") status.phase = { phase: "running" };
      }
      status.agentState = view.state;
      if (!reached && now >= nextDialog && now - begun < DIALOGS_FOR_MS) {
        nextDialog = now + DIALOG_EVERY_MS;
        await answerDialog(options, view);
      }
      const turn = seen(nudging, view, now);
      nudging = turn.send ? nudged(turn.nudging, await giveNudge(options), view, clock.monotonic()) : turn.nudging;
      await exit.seen(view);
    }
    await clock.sleep(now - begun < FIRST_MS ? Math.min(FIRST_LOOK_MS, lookMs) : lookMs, over);
  }
  return { reached, excused: exit.excused() };
}

async function look({ api, log }: AttendOptions): Promise<AgentView | undefined> {
  try {
    return await api.agent();
  } catch (error) {
    log.debug("the terminal host doesn't answer", { error: messageOf(error) });
    return undefined;
  }
}

const MOVES = 3;
const DRAW_MS = 300;

/** Moves the cursor, looks where it is, and only then presses Enter. */
async function answerDialog({ api, clock, log, status }: AttendOptions, view: AgentView): Promise<void> {
  try {
    for (let move = 1; move <= MOVES; move += 1) {
      const wanted = dismiss(view, await api.screen());
      if (wanted.do === "person") log.warn("the agent waits for a person", { dialog: wanted.dialog });
      if (wanted.do !== "press") return;
      await api.keys(wanted.keys);
      status.answered(wanted.dialog);
      log.info("answered a dialog", { dialog: wanted.dialog, keys: wanted.keys });
      if (wanted.keys[0] === "Enter" || wanted.keys[0] === "Escape") return;
      await clock.sleep(DRAW_MS);
    }
  } catch (error) {
    log.warn("could not answer a dialog", { error: messageOf(error) });
  }
}

async function giveNudge({ api, nudge, log, status }: AttendOptions): Promise<boolean> {
  try {
    const { delivered, reason } = await api.nudge(nudge);
    status.nudged(delivered);
    log.info(delivered ? "gave the first prompt" : "the first prompt was not taken", reason === "" ? {} : { reason });
    return delivered;
  } catch (error) {
    log.warn("could not give the first prompt", { error: messageOf(error) });
    return false;
  }
}
