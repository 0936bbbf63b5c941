import type { ConfigOption, QueuedPrompt } from "../../contract/events.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { readEvents } from "../../core/runs/event-file.ts";

/** What an earlier run leaves to the one that goes on with it. */
export interface LeftBy {
  /** Prompts that waited when it was lost or crashed. Whoever stops a run has thought of what waits. */
  queued: QueuedPrompt[];
  /** What its person switched in the middle of it. */
  setOptions: { id: string; value: string | boolean }[];
  canFork: boolean;
  lastTurn: string | undefined;
}

const carried: ReadonlySet<ConfigOption["category"]> = new Set(["model", "mode", "effort"]);

export function leftBy(eventsPath: string, info: Pick<RunInfo, "status" | "reason">): LeftBy {
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
  const changed = last.filter(({ id, value, category }) => carried.has(category) && begun.get(id) !== value);
  return {
    queued: isCrash ? queue : [],
    setOptions: changed.map(({ id, value }) => ({ id, value })),
    canFork,
    lastTurn,
  };
}
