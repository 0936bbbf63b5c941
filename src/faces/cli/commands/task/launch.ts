import { startDetached } from "../../../../core/launch/detach.ts";
import type { LaunchRun } from "../../../../core/tasks/start.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { requestOf } from "../../run-options.ts";

/** A task's run is what `cox run -d` would start: the same choices, a host of its own. */
export const launcher =
  (context: Context): LaunchRun =>
  async (launch) => {
    const { project, task, agent, profile, workspace, limits, previousRunId } = launch;
    const request = await requestOf(
      {
        project,
        task,
        agent: profile === "" ? agent || undefined : undefined,
        profile: profile || undefined,
        model: launch.model,
        cwd: workspace,
        on: launch.on,
        network: launch.network,
        detach: true,
        timeout: limits.timeout === undefined ? undefined : `${limits.timeout}s`,
        "idle-timeout": limits.idle_timeout === undefined ? undefined : `${limits.idle_timeout}s`,
        resume: launch.resume ? previousRunId : undefined,
      },
      [launch.prompt],
      context,
    );
    return startDetached({ ...request, previousRunId, review: launch.review, by: launch.by }, context.env);
  };
