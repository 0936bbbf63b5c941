import type { RunInfo } from "../../contract/runs/run.ts";
import { agentCalls } from "../host/agent-calls.ts";
import { openAgentSocket } from "../host/agent-socket.ts";
import { openHost } from "../host/host.ts";
import type { AgentCalls } from "../host/tools/perform.ts";
import { ToolHost } from "../host/tools/tool-host.ts";
import { type Run, startRun } from "../runner/run.ts";
import { agentSocketPath, socketPath } from "../store/home.ts";
import { stopDescendants } from "../tasks/children.ts";
import { childLimits } from "./child-limits.ts";
import { childWiring } from "./child-run.ts";
import { newsOf } from "./notifying.ts";
import type { PreparedRun } from "./prepare-run.ts";
import { conductorOf } from "./where/conductor.ts";

export interface HostedRun {
  run: Run;
  /** The record is final and the sockets are gone. */
  done: Promise<RunInfo>;
}

/**
 * Starts a run and the sockets in front of it, one for people and one for its agent; whoever calls this is the host. `meet` is
 * called before the loop turns: who watches from there on misses nothing, however quick the agent is.
 */
export async function hostRun(spec: PreparedRun, meet: (run: Run) => void = () => {}): Promise<HostedRun> {
  const { home, config, where, lineage, clock } = spec;
  const { project, task } = where;
  const limits = childLimits(config);
  const toolHost = new ToolHost(() => calls);
  const run = startRun({
    ...spec,
    agentSocket: (runId) => agentSocketPath(home, runId),
    conductor: conductorOf(spec),
    toolHost,
  });
  const calls: AgentCalls = agentCalls(run, {
    home,
    project,
    task,
    limits,
    clock,
    wiring: childWiring(spec, run.runId),
  });
  const news = newsOf(run, spec);
  meet(run);
  // Both listen before the loop turns, and so before there is an agent.
  const opened = await Promise.allSettled([
    openHost(run, socketPath(home, run.runId)),
    openAgentSocket(calls, agentSocketPath(home, run.runId)),
  ]);
  const sockets = opened.flatMap((door) => (door.status === "fulfilled" ? [door.value] : []));
  const failed = opened.find((door) => door.status === "rejected");
  if (failed !== undefined) {
    // Nobody could answer it, or stop it.
    run.stop({ by: "stop" }, 0);
    await run.ended;
    for (const socket of [...sockets, toolHost]) socket.close();
    throw failed.reason;
  }
  const done = run.ended.then(async (info) => {
    for (const socket of [...sockets, toolHost]) socket.close();
    news?.ended(info);
    // Whoever ends a run before it is done ends what it started, too.
    if (info.status === "failed") await stopDescendants(home, run.runId, lineage.by);
    return info;
  });
  return { run, done };
}
