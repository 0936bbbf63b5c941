import { AppError } from "../../contract/errors.ts";
import { newTaskName, requireName } from "../../contract/ids.ts";
import type { TaskFile } from "../../contract/tasks/task-file.ts";
import { postTaskChange } from "../store/bus/lifecycle.ts";
import type { Home } from "../store/home.ts";
import { createTaskFile, type TaskRef, taskName } from "../store/task-file.ts";
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
  for (const name of namesFor(task, file.title, now)) {
    const ref = { project, task: requireName("task", name) };
    await checkDependencies(home, ref, file.depends_on);
    if (!createTaskFile(home, ref, { ...file, created: new Date(now).toISOString() })) continue;
    postTaskChange(home, ref, { to: "todo", cause: "created", by: file.by }, now);
    return ref;
  }
  throw new AppError(
    "task.exists",
    `task ${taskName({ project, task: task ?? "" })}: exists already; choose another name`,
  );
}

/** A name that was asked for, or one of our own with a number when two are made in the same second. */
function* namesFor(task: string | undefined, title: string, now: number): Generator<string> {
  const name = task ?? newTaskName(title, now);
  yield name;
  if (task === undefined) for (let n = 2; ; n += 1) yield `${name}-${n}`;
}
