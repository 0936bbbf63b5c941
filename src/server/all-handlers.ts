import { type ApiKey, api } from "../contract/api/index.ts";
import { AppError } from "../contract/errors.ts";
import type { RunInfo } from "../contract/run.ts";
import { readClaims } from "../store/claims.ts";
import { findRun } from "../store/find-run.ts";
import { readRunInfo } from "../store/run-info.ts";
import type { Handlers } from "./handlers.ts";
import { agentHandlers } from "./routes/agents.ts";
import { busHandlers } from "./routes/bus.ts";
import { clusterHandlers } from "./routes/cluster.ts";
import { figureHandlers } from "./routes/figures.ts";
import type { DoorKey } from "./routes/operations.ts";
import { reviewHandlers } from "./routes/review.ts";
import { settingsHandlers } from "./routes/settings.ts";
import { taskHandlers } from "./routes/tasks.ts";
import { terminalHandlers } from "./routes/terminals.ts";
import { workspaceHandlers } from "./routes/workspace.ts";
import type { CountedElsewhere } from "./server-metrics.ts";
import { TaskIndex } from "./task-index.ts";
import type { World } from "./world.ts";

export interface AllHandlers {
  handlers: Handlers<Exclude<ApiKey, DoorKey>>;
  counted: CountedElsewhere;
  close(): void;
}

/** One handler for each operation of the table: one that is missing does not compile. */
export function allHandlers(world: World): AllHandlers {
  const { home } = world;
  const infoOf = (run: string): RunInfo => {
    const info = readRunInfo(findRun(home, run).paths.info);
    if (info !== undefined) return info;
    throw new AppError("run.not_found", `run ${run}: its directory is gone; only its line in the list is left`);
  };
  const todo = Object.fromEntries(
    Object.keys(api).map((key) => [
      key,
      () => {
        throw new AppError("platform.unsupported", key);
      },
    ]),
  );
  const handlers = {
    ...todo,
    ...taskHandlers(world, new TaskIndex(home)),
    ...busHandlers(world),
    ...agentHandlers(world),
    ...settingsHandlers(world),
    ...figureHandlers(world),
    ...terminalHandlers(world.hub),
    ...clusterHandlers(world),
    ...workspaceHandlers(world, infoOf),
    ...reviewHandlers(world, infoOf),
  } as unknown as Handlers<Exclude<ApiKey, DoorKey>>;
  return {
    handlers,
    counted: {
      liveRuns: () => readClaims(home).filter(({ claim }) => claim !== undefined).length,
      openRequests: () => 0,
      streamClients: () => 0,
      eventsSent: () => 0,
    },
    close() {},
  };
}
