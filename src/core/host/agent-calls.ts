import type { ChildLimits } from "../../contract/agent-socket.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Run } from "../runner/run.ts";
import type { Home } from "../store/home.ts";
import { busCalls } from "./own-bus.ts";
import { type ChildWiring, OwnChildren } from "./own-children.ts";
import { askCalls } from "./own-question.ts";
import { type TaskWiring, taskCalls } from "./own-tasks.ts";
import type { AgentCalls } from "./tools/perform.ts";

export interface AgentCallsOptions {
  home: Home;
  project: string;
  task: string;
  limits: ChildLimits;
  clock: Clock;
  wiring: ChildWiring & TaskWiring;
}

/** Everything that a run's agent may ask of it. */
export function agentCalls(run: Pick<Run, "runId" | "ask">, options: AgentCallsOptions): AgentCalls {
  const { home, project, task, limits, clock, wiring } = options;
  const own = { project, task, run: run.runId };
  return {
    ...busCalls(home, own, clock),
    ...askCalls(run),
    ...new OwnChildren(home, run.runId, limits, wiring, clock).calls(),
    ...taskCalls(home, own, limits.total, wiring),
  };
}
