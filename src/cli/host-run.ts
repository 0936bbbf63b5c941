import type { RunInfo } from "../contract/run.ts";
import { openHost } from "../host/host.ts";
import { type Run, type RunSpec, startRun } from "../runner/run.ts";
import { socketPath } from "../store/home.ts";
import { stopDescendants } from "../tasks/children.ts";

export interface HostedRun {
  run: Run;
  /** The record is final and the socket gone. */
  done: Promise<RunInfo>;
}

/** Starts a run and the socket in front of it; whoever calls this process is the host. */
export async function hostRun(spec: RunSpec): Promise<HostedRun> {
  const run = startRun(spec);
  const host = await openHost(run, socketPath(spec.home, run.runId));
  const done = run.ended.then(async (info) => {
    host.close();
    // Whoever ends a run before it is done ends what it started, too.
    if (info.status === "failed") await stopDescendants(spec.home, run.runId, spec.by ?? "parent run");
    return info;
  });
  return { run, done };
}
