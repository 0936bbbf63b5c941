import { isRunId, requireName } from "../../../../contract/ids.ts";
import { busPath } from "../../../../core/store/bus/bus.ts";
import { homeAt, homePath } from "../../../../core/store/home.ts";
import type { Context } from "../../../../lib/command/command.ts";

/** Which bus, and who writes. */
export interface BusPlace {
  path: string;
  project: string;
  /** `undefined`: the project's bus. */
  task: string | undefined;
  /** The run we are in, if any. */
  run: string | undefined;
}

/** Inside a run everything is known from its environment. A project that is named without a task means the project's bus. */
export async function placeOf(
  values: { project?: string; task?: string },
  { env, cwd }: Pick<Context, "env" | "cwd">,
): Promise<BusPlace> {
  const home = homeAt(homePath(env));
  const project = values.project ?? (env.JRUN_PROJECT_ID || (await projectHere(home.root, cwd)));
  const task = values.task ?? (values.project === undefined ? env.JRUN_TASK_ID || undefined : undefined);
  requireName("project", project);
  if (task !== undefined) requireName("task", task);
  const run = env.JRUN_ID !== undefined && isRunId(env.JRUN_ID) ? env.JRUN_ID : undefined;
  return { path: busPath(home, project, task), project, task, run };
}

async function projectHere(root: string, cwd: string): Promise<string> {
  const [{ readConfig }, { projectOf }] = await Promise.all([
    import("../../../../core/config/config-file.ts"),
    import("../../../../core/runner/workspace/workspace.ts"),
  ]);
  return (await readConfig(root)).project ?? projectOf(cwd);
}
