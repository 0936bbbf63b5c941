import { existsSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { isName, isRunId, isRunName, requireName, shorten } from "../../contract/ids.ts";
import { diskError, errnoOf } from "../../lib/files/disk-error.ts";
import { type Home, projectFolder, taskFolder } from "./home.ts";
import type { TaskRef } from "./task-file.ts";

/** A task is a folder with a task.yaml, or with runs. */
export function taskExists(home: Home, { project, task }: TaskRef): boolean {
  const folder = taskFolder(home, project, task);
  return existsSync(join(folder, "task.yaml")) || existsSync(join(folder, "runs"));
}

/** All tasks, by project and name; generated names sort by time. */
export function listTasks(home: Home, project?: string): TaskRef[] {
  const projects = project === undefined ? entriesIn(join(home.root, "projects")).filter(isName) : [project];
  return projects.flatMap((project) =>
    entriesIn(projectFolder(home, project))
      .filter((task) => isName(task) && task !== "blobs")
      .map((task) => ({ project, task }))
      .filter((ref) => taskExists(home, ref)),
  );
}

/** Of a task that may have to be made. One that has a run's name from before there were such keeps it. */
export function requireTaskName(home: Home, { project, task }: TaskRef): string {
  if (!isRunName(task) || taskExists(home, { project, task })) return requireName("task", task);
  throw new AppError("id.invalid", `task ${task}: that is what runs are called by; choose another name`);
}

/** A task that nobody else has: of several who want the same name at once, all but the first get one with a number. */
export function claimTask(home: Home, project: string, name: string): string {
  for (let n = 1; ; n += 1) {
    const task = n === 1 ? name : `${name}-${n}`;
    if (makeFolder(taskFolder(home, project, task))) return task;
  }
}

/** Of a claim that came to nothing, with the folders that are empty without it; one with something in it stays. */
export function dropEmptyTask(home: Home, { project, task }: TaskRef): void {
  const folder = taskFolder(home, project, task);
  removeWhileEmpty([folder, dirname(folder), dirname(dirname(folder))]);
}

export function dropEmptyProject(home: Home, project: string): void {
  const folder = projectFolder(home, project);
  removeWhileEmpty([folder, dirname(folder)]);
}

function removeWhileEmpty(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch (error) {
      const code = errnoOf(error);
      if (code === "ENOTEMPTY" || code === "EEXIST" || code === "ENOENT") return;
      throw diskError("remove an empty folder", folder, error);
    }
  }
}

/** `false` when somebody has it. Its project may go at this moment, with the last task of others. */
function makeFolder(path: string): boolean {
  for (;;) {
    try {
      mkdirSync(path, { mode: 0o700 });
      return true;
    } catch (error) {
      if (errnoOf(error) === "EEXIST") return false;
      if (errnoOf(error) !== "ENOENT") throw diskError("create task", path, error);
    }
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    } catch (error) {
      throw diskError("create task", path, error);
    }
  }
}

/** `project/task`, or a task's name or its beginning where that is unique. */
export function findTask(home: Home, name: string, project?: string): TaskRef {
  const [first = "", second, ...more] = name.split("/");
  if (second !== undefined) {
    const ref = { project: first, task: second };
    if (more.length === 0 && isName(first) && isName(second) && taskExists(home, ref)) return ref;
    throw notFound(name);
  }
  const begins = ({ task }: TaskRef) => task.startsWith(name);
  const all = name === "" || isRunName(name) ? [] : listTasks(home, project).filter(begins);
  const exact = all.filter(({ task }) => task === name);
  const [only, other] = exact.length > 0 ? exact : all;
  if (only === undefined) throw notFound(name);
  if (other === undefined) return only;
  const some = all.slice(0, 5).map(({ project, task }) => `${project}/${task}`);
  const others = all.length > some.length ? " …" : "";
  throw new AppError(
    "usage.invalid",
    `task ${shorten(name)}: fits ${some.join(", ")}${others}; give project/task or more of it`,
  );
}

/** Oldest first. */
export function runIdsOf(home: Home, { project, task }: TaskRef): string[] {
  return entriesIn(join(taskFolder(home, project, task), "runs")).filter(isRunId);
}

function entriesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

const notFound = (name: string) =>
  new AppError(
    "task.not_found",
    `task ${JSON.stringify(shorten(name))}: there is no such task; \`cox task ls\` lists them`,
  );
