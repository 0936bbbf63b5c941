import type { StartRun } from "../../contract/runs/request.ts";
import type { LaunchRun } from "./start.ts";

/** A task's run is what any other is: hosted by a process of its own. */
export const launcher =
  (start: StartRun): LaunchRun =>
  async (request) =>
    (await start(request)).runId;
