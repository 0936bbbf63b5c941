import type { StartRun } from "../../contract/runs/request.ts";
import { inMs } from "../../contract/seconds.ts";
import type { LaunchRun } from "./start.ts";

/** A task's run is what any other is: asked for by a request, hosted by a process of its own. */
export const launcher =
  (start: StartRun): LaunchRun =>
  async ({ project, task, agent, profile, model, workspace, on, network, prompt, limits, review, ...rest }) => {
    const { previousRunId, resume, by } = rest;
    const { runId } = await start({
      who: { ...(profile === "" ? { agent: agent || undefined } : { profile }), model },
      what: { prompt: [{ type: "text", text: prompt }], mode: "batch", review },
      where: { project, task, workspace, on, network },
      limits: { timeoutMs: inMs(limits.timeout), idleTimeoutMs: inMs(limits.idle_timeout) },
      lineage: {
        by,
        previous: previousRunId,
        resume: resume && previousRunId !== undefined ? { run: previousRunId } : undefined,
      },
    });
    return runId;
  };
