import type { ApiKey } from "../../../contract/api/index.ts";
import { requireOwn } from "../../../contract/runs/imported.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { readClaims } from "../../../core/store/runs/claims.ts";
import type { ServerPorts } from "../ports.ts";
import { agentHandlers } from "../routes/agents.ts";
import { busHandlers } from "../routes/bus.ts";
import { clusterHandlers } from "../routes/cluster.ts";
import { figureHandlers } from "../routes/figures.ts";
import type { DoorKey } from "../routes/operations.ts";
import { requestHandlers } from "../routes/requests.ts";
import { reviewHandlers } from "../routes/review.ts";
import { runHandlers } from "../routes/runs.ts";
import { selfHandlers } from "../routes/self.ts";
import { sessionHandlers } from "../routes/sessions.ts";
import { settingsHandlers } from "../routes/settings.ts";
import { streamHandlers } from "../routes/streams.ts";
import { taskHandlers } from "../routes/tasks.ts";
import { workspaceHandlers } from "../routes/workspace.ts";
import { Conversations } from "../runs/conversations.ts";
import { openRequests } from "../runs/open-requests.ts";
import { Runs } from "../runs/runs.ts";
import type { CountedElsewhere } from "../server-metrics.ts";
import { Streams } from "../streams/streams.ts";
import { TaskIndex } from "../tasks/task-index.ts";
import type { Handlers } from "./handlers.ts";

export interface AllHandlers {
  /** All but the door's own. */
  handlers: Handlers<Exclude<ApiKey, DoorKey>>;
  counted: CountedElsewhere;
  close(): void;
}

/** One handler for each operation of the table: one that is missing does not compile. */
export function allHandlers(ports: ServerPorts): AllHandlers {
  const { home, clock } = ports;
  const runs = new Runs(home);
  const streams = new Streams({ home, clock, runs: runs.index });
  // For whatever reaches a folder by a run's record, or tells its agent something.
  const infoOf = (run: string): RunInfo => requireOwn(runs.require(run).info);
  return {
    handlers: {
      ...runHandlers(ports, runs),
      ...sessionHandlers(ports, runs, new Conversations(ports, runs)),
      ...streamHandlers(ports, runs, streams),
      ...requestHandlers(ports, runs),
      ...taskHandlers(ports, new TaskIndex(home, ports.log), runs.index),
      ...busHandlers(ports),
      ...workspaceHandlers(ports, infoOf),
      ...reviewHandlers(ports, infoOf),
      ...agentHandlers(ports),
      ...settingsHandlers(ports),
      ...figureHandlers(ports),
      ...ports.terminals.handlers,
      ...clusterHandlers(ports),
      ...selfHandlers(ports),
    },
    counted: {
      liveRuns: () => readClaims(home).filter(({ claim }) => claim !== undefined).length,
      openRequests: () => openRequests(home, runs.index, runs.folds).length,
      streamClients: () => streams.clients,
      eventsSent: () => streams.sent,
    },
    close: () => streams.close(),
  };
}
