import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../lib/base/clock.ts";
import { runIdsOf } from "../store/find-task.ts";
import { taskFolder } from "../store/home.ts";
import { untilEnded } from "../store/runs/until-ended.ts";
import { deleteTask } from "../tasks/change.ts";
import { liveRuns } from "../tasks/task.ts";
import { findWorktree } from "../workspaces/worktrees/worktree-record.ts";
import { deleteRun } from "./delete-run.ts";
import type { NamedRun } from "./run-access.ts";

/** A run in which nothing was said, and the task that was made for it: neither a list nor the board should show them. */
export async function forgetRun({ home, run }: Pick<NamedRun, "home" | "run">, clock: Clock): Promise<void> {
  const ref = { project: run.project, task: run.task };
  // Its host writes until it lets go of the run.
  await untilEnded(home, () => liveRuns(home, ref).filter((id) => id === run.run_id), { clock });
  const at = new Date(clock.now()).toISOString();
  await deleteRun(home, { ...ref, run_id: run.run_id, dir: run.paths.dir }, at);
  const isOwn = existsSync(join(taskFolder(home, ref.project, ref.task), "task.yaml"));
  if (isOwn || runIdsOf(home, ref).length > 0 || findWorktree(home.root, ref.project, ref.task)) return;
  await deleteTask(home, ref, { force: true, at });
}
