import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError, messageOf } from "../../contract/errors.ts";
import type { TaskFile } from "../../contract/tasks/task-file.ts";
import { createFileExclusive, writeFileAtomic } from "../../lib/files/atomic-file.ts";
import { diskError, errnoOf } from "../../lib/files/disk-error.ts";
import { type Home, taskFolder } from "./home.ts";

const MAX_BYTES = 16 * 1024 * 1024;

export interface TaskRef {
  project: string;
  task: string;
}

export const taskName = ({ project, task }: TaskRef): string => `${project}/${task}`;

/** Before anything is there: a task whose file can't be read could be neither shown nor worked on. */
export async function requireTaskFile(ref: TaskRef, file: TaskFile): Promise<TaskFile> {
  const problem = problemOf((await schema()).safeParse(file));
  if (problem === undefined) return file;
  throw new AppError("task.invalid", `create task ${taskName(ref)}: ${problem}`);
}

/** `false` when there is such a task already; it is left as it is. */
export function createTaskFile(home: Home, ref: TaskRef, file: TaskFile): boolean {
  const folder = taskFolder(home, ref.project, ref.task);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("create task", folder, error);
  }
  if (!createFileExclusive(join(folder, "task.yaml"), format(file))) return false;
  writeFileAtomic(join(folder, "TASK.md"), `# ${file.title}\n\n${file.prompt}\n`);
  return true;
}

/** `undefined` when the task has none: runs made it. */
export async function readTaskFile(home: Home, ref: TaskRef): Promise<TaskFile | undefined> {
  const path = join(taskFolder(home, ref.project, ref.task), "task.yaml");
  const text = readText(path);
  if (text === undefined) return undefined;
  const parsed = (await schema()).safeParse(parseLines(text) ?? (await parseYaml(path, text)));
  if (parsed.success) return parsed.data;
  throw invalid(path, problemOf(parsed) ?? "not a task");
}

/** Most runs make no task of their own and work on none: they don't pay for it. */
const schema = async () => (await import("../../contract/tasks/task-file.ts")).TaskFile;

function problemOf({ error }: ReturnType<Awaited<ReturnType<typeof schema>>["safeParse"]>): string | undefined {
  const [issue] = error?.issues ?? [];
  return issue && [...(issue.path.length === 0 ? [] : [issue.path.join(".")]), issue.message].join(": ");
}

/** One `key: <JSON value>` per line: plain YAML that needs no YAML library. */
function format(file: TaskFile): string {
  return Object.entries(file)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("");
}

/** What `format` wrote; `undefined` when a person has put it in other words. */
function parseLines(text: string): Record<string, unknown> | undefined {
  const value: Record<string, unknown> = {};
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, key, json] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (key === undefined || json === undefined || Object.hasOwn(value, key)) return undefined;
    try {
      value[key] = JSON.parse(json);
    } catch {
      return undefined;
    }
  }
  return value;
}

async function parseYaml(path: string, text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(text, { schema: "core", maxAliasCount: 0, uniqueKeys: true });
  } catch (error) {
    throw invalid(path, messageOf(error).split("\n")[0] ?? "not YAML");
  }
}

function readText(path: string): string | undefined {
  try {
    if (statSync(path).size > MAX_BYTES) throw invalid(path, "it is larger than 16 MB");
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

const invalid = (path: string, why: string) =>
  new AppError("task.invalid", `task file ${path}: ${why}; correct it, or delete the task`, { path });
