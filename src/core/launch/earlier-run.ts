import { AppError } from "../../contract/errors.ts";
import type { ConfigOption, QueuedPrompt } from "../../contract/events.ts";
import { runName } from "../../contract/ids.ts";
import { requireOwn } from "../../contract/runs/imported.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { readEvents } from "../store/events/event-reader.ts";
import { homeAt } from "../store/home.ts";
import { findRun } from "../store/runs/find-run.ts";
import { readRunInfo } from "../store/runs/run-info.ts";

/** An earlier run that this one goes on with or branches off from. */
export interface EarlierRun {
  info: RunInfo;
  eventsPath: string;
}

export function earlierRun(home: string, name: string): EarlierRun {
  const run = findRun(homeAt(home), name);
  const info = readRunInfo(run.paths.info);
  if (info !== undefined) return { info: requireOwn(info), eventsPath: run.paths.events };
  throw new AppError("run.not_found", `run ${runName(run)}: its directory is gone; only its line in the list is left`);
}

/** One whose conversation can go on, or begin anew: nobody has it now. */
export function resumedRun(home: string, name: string, anew: boolean): EarlierRun {
  const earlier = earlierRun(home, name);
  const { run_id: runId, status, session_id: sessionId } = earlier.info;
  const called = runName(earlier.info);
  if (findRun(homeAt(home), runId).end === undefined && status === "running") {
    throw new AppError(
      "run.not_resumable",
      `run ${called}: still runs; send it a prompt with \`cox prompt ${called} TEXT\``,
    );
  }
  if (sessionId !== "" || anew) return earlier;
  throw new AppError("run.not_resumable", `run ${called}: never had a conversation; start it anew without --resume`);
}

/** What an earlier run leaves to the one that goes on with it. */
export interface Carried {
  /** Prompts that waited when it was lost or crashed. Whoever stops a run has thought of what waits. */
  queued: QueuedPrompt[];
  /** What its person switched in the middle of it. */
  setOptions: { id: string; value: string | boolean }[];
  canFork: boolean;
  lastTurn: string | undefined;
}

const carriedOptions: ReadonlySet<ConfigOption["category"]> = new Set(["model", "mode", "effort"]);

export function carriedFrom({ eventsPath, info }: EarlierRun): Carried {
  let queue: QueuedPrompt[] = [];
  let first: readonly ConfigOption[] | undefined;
  let last: readonly ConfigOption[] = [];
  let canFork = false;
  let lastTurn: string | undefined;
  for (const events of readEvents(eventsPath)) {
    for (const event of events) {
      if (event.type === "prompt_queue") queue = event.prompts;
      if (event.type === "turn_started") lastTurn = event.turn;
      if (event.type === "session_status" && "can" in event && event.can !== undefined)
        canFork = event.can.includes("fork");
      if (event.type !== "config_options") continue;
      first ??= event.options;
      last = event.options;
    }
  }
  const isCrash = info.status === "failed" && info.reason !== "stopped";
  const begun = new Map(first?.map(({ id, value }) => [id, value]));
  const changed = last.filter(({ id, value, category }) => carriedOptions.has(category) && begun.get(id) !== value);
  return {
    queued: isCrash ? queue : [],
    setOptions: changed.map(({ id, value }) => ({ id, value })),
    canFork,
    lastTurn,
  };
}
