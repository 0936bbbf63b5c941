import { startFrom } from "../../../../core/launch/detach.ts";
import { attribution } from "../../../../core/runs/run-access.ts";
import { readProgress } from "../../../../core/store/bus/lifecycle.ts";
import { homePath, openHome } from "../../../../core/store/home.ts";
import { type TaskRef, taskName } from "../../../../core/store/task-file.ts";
import { cancelTask, deleteTask, finishTask, stopTask } from "../../../../core/tasks/change.ts";
import { launcher } from "../../../../core/tasks/launch.ts";
import { resumeTask, sendBackTask, startTask } from "../../../../core/tasks/start.ts";
import { findTask } from "../../../../core/tasks/task.ts";
import type { Context } from "../../../../lib/command/command.ts";

export type Action = "start" | "stop" | "resume" | "done" | "send-back" | "cancel" | "delete";

/** What people do with one task. */
export async function act(
  action: Action,
  values: { project?: string; force?: boolean; json?: boolean },
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
      return started(await startTask(home, ref, doing, launch));
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
    stdout.write(values.json ? `${JSON.stringify({ ...(ref satisfies TaskRef), run_id: runId })}\n` : `${runId}\n`);
    return 0;
  }
}
