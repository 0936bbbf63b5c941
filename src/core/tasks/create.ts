import { AppError } from "../../contract/errors.ts";
import { newTaskName, requireName } from "../../contract/ids.ts";
import type { TaskFile } from "../../contract/tasks/task-file.ts";
import { postTaskChange } from "../store/bus/lifecycle.ts";
import { claimTask, requireTaskName } from "../store/find-task.ts";
import type { Home } from "../store/home.ts";
import { createTaskFile, requireTaskFile, type TaskRef, taskName } from "../store/task-file.ts";
import { checkDependencies } from "./dependencies.ts";

export interface NewTask extends TaskFile {
  project: string;
  /** Made from the title when it is left out. */
  task?: string;
}

export async function createTask(home: Home, wish: NewTask, now: number): Promise<TaskRef> {
  const { project, task, ...file } = wish;
  requireName("project", project);
  if (file.prompt.trim() === "") throw new AppError("task.invalid", "create task: it has no prompt; say what to do");
  const name = requireTaskName(home, { project, task: task ?? newTaskName(file.title, now) });
  await checkDependencies(home, { project, task: name }, file.depends_on);
  const whole = await requireTaskFile({ project, task: name }, { ...file, created: new Date(now).toISOString() });
  const ref = { project, task: task ?? claimTask(home, project, name) };
  if (!createTaskFile(home, ref, whole)) {
    throw new AppError("task.exists", `task ${taskName(ref)}: exists already; choose another name`);
  }
  postTaskChange(home, ref, { to: "todo", cause: "created", by: file.by }, now);
  return ref;
}
