import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { isName, isRunId, shorten } from "../../contract/ids.ts";
import type { TaskState, TaskSummary } from "../../contract/tasks/task.ts";
import type { TaskFile } from "../../contract/tasks/task-file.ts";
import { errnoOf } from "../../lib/files/disk-error.ts";
import { readProgress } from "../store/bus/lifecycle.ts";
import { type Home, projectFolder, taskFolder } from "../store/home.ts";
import { readClaims } from "../store/runs/claims.ts";
import { readTaskFile, type TaskRef, taskName } from "../store/task-file.ts";

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

/** `project/task`, or a task's name or its beginning where that is unique. */
export function findTask(home: Home, name: string, project?: string): TaskRef {
  const [first = "", second, ...more] = name.split("/");
  if (second !== undefined) {
    const ref = { project: first, task: second };
    if (more.length === 0 && isName(first) && isName(second) && taskExists(home, ref)) return ref;
    throw notFound(name);
  }
  const all = name === "" ? [] : listTasks(home, project).filter(({ task }) => task.startsWith(name));
  const exact = all.filter(({ task }) => task === name);
  const [only, other] = exact.length > 0 ? exact : all;
  if (only === undefined) throw notFound(name);
  if (other === undefined) return only;
  const some = all.slice(0, 5).map(taskName);
  throw new AppError(
    "usage.invalid",
    `task ${shorten(name)}: fits ${some.join(", ")} …; give project/task or more of it`,
  );
}

export async function summarize(home: Home, ref: TaskRef): Promise<TaskSummary> {
  return summaryOf(home, ref, await readTaskFile(home, ref));
}

export function summaryOf(home: Home, ref: TaskRef, file: TaskFile | undefined): TaskSummary {
  const progress = readProgress(home, ref.project, ref.task);
  return {
    ...ref,
    ...progress,
    title: file?.title ?? progress.title,
    agent: file?.agent ?? "",
    priority: file?.priority ?? 0,
    depends_on: file?.depends_on ?? [],
    created: file?.created ?? "",
  };
}

export async function summaries(home: Home, wanted: { project?: string; state?: TaskState }): Promise<TaskSummary[]> {
  const all: TaskSummary[] = [];
  for (const ref of listTasks(home, wanted.project)) {
    const summary = await summarize(home, ref);
    if (wanted.state === undefined || summary.state === wanted.state) all.push(summary);
  }
  return all;
}

/** Runs of this task whose hosts have not finished, or were lost and not yet healed. */
export function liveRuns(home: Home, { project, task }: TaskRef): string[] {
  const runs = join(taskFolder(home, project, task), "runs");
  return readClaims(home).flatMap(({ runId, claim }) => (claim?.dir === join(runs, runId) ? [runId] : []));
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
