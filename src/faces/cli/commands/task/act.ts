import { startFrom } from "../../../../core/launch/detach.ts";
import { attribution } from "../../../../core/runs/run-access.ts";
import { readProgress } from "../../../../core/store/bus/lifecycle.ts";
import { findTask } from "../../../../core/store/find-task.ts";
import { homePath, openHome } from "../../../../core/store/home.ts";
import { nameOfRun } from "../../../../core/store/runs/find-run.ts";
import { type TaskRef, taskName } from "../../../../core/store/task-file.ts";
import { cancelTask, deleteTask, finishTask, stopTask } from "../../../../core/tasks/change.ts";
import { launcher } from "../../../../core/tasks/launch.ts";
import { resumeTask, type StartWishes, sendBackTask, startTask } from "../../../../core/tasks/start.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { termsOf, variables } from "../../run-options.ts";
import type { TermValues } from "../../term-options.ts";

export type Action = "start" | "stop" | "resume" | "done" | "send-back" | "cancel" | "delete";

export type ActValues = TermValues & { project?: string; env?: string[]; force?: boolean; json?: boolean };

/** What people do with one task. */
export async function act(
  action: Action,
  values: ActValues,
  [name = "", ...words]: readonly string[],
  context: Context,
): Promise<number> {
  const { env, clock, stdout } = context;
  const home = openHome(homePath(env));
  const ref = findTask(home, name, values.project);
  const doing = { by: attribution(), clock };
  const text = words.join(" ");
  const launch = launcher(startFrom(env));
  switch (action) {
    case "start":
      return started(await startTask(home, ref, { ...doing, wishes: wishesOf(values) }, launch));
    case "resume":
      return started(await resumeTask(home, ref, { ...doing, prompt: text || undefined }, launch));
    case "send-back":
      return started(await sendBackTask(home, ref, text, doing, launch));
    case "stop":
      await stopTask(home, ref, doing);
      break;
    case "done":
      await finishTask(home, ref, doing);
      break;
    case "cancel":
      await cancelTask(home, ref, doing);
      break;
    case "delete":
      await deleteTask(home, ref, { force: values.force === true, at: new Date(clock.now()).toISOString() });
      stdout.write(`${taskName(ref)} deleted\n`);
      return 0;
  }
  stdout.write(`${taskName(ref)} ${readProgress(home, ref.project, ref.task).state}\n`);
  return 0;

  function started(runId: string): number {
    stdout.write(
      values.json
        ? `${JSON.stringify({ ...(ref satisfies TaskRef), run_id: runId })}\n`
        : `${nameOfRun(home, runId)}\n`,
    );
    return 0;
  }
}

/** For this run alone: what the task says stays as it is. */
function wishesOf(values: ActValues): StartWishes {
  const { what, where, ...terms } = termsOf(values);
  return {
    ...terms,
    what: { ...what, prompt: [], mode: "batch" },
    where: { ...where, env: variables(values.env ?? []) },
  };
}
