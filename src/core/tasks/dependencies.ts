import { AppError } from "../../contract/errors.ts";
import { requireName } from "../../contract/ids.ts";
import type { TaskState } from "../../contract/tasks/task.ts";
import type { TaskFile } from "../../contract/tasks/task-file.ts";
import { findCycles } from "../../lib/base/graph.ts";
import { parseTemplate, renderTemplate } from "../../lib/text/template.ts";
import { readProgress } from "../store/bus/lifecycle.ts";
import { taskExists } from "../store/find-task.ts";
import type { Home } from "../store/home.ts";
import { readTaskFile, type TaskRef, taskName } from "../store/task-file.ts";
import { resultsOf } from "./results.ts";

/** Of the same project unless it says which. */
export function dependencyRef(name: string, project: string): TaskRef {
  const [first = "", second, ...more] = name.split("/");
  const ref = second === undefined ? { project, task: first } : { project: first, task: second };
  if (more.length > 0) throw new AppError("id.invalid", `dependency ${name}: use task or project/task`);
  return { project: requireName("project", ref.project), task: requireName("task", ref.task) };
}

/** Before a task is made: what it depends on must be there, and must not depend on it. */
export async function checkDependencies(home: Home, ref: TaskRef, dependsOn: readonly string[]): Promise<void> {
  const edges = new Map<string, string[]>();
  const waiting: { ref: TaskRef; names: readonly string[] }[] = [{ ref, names: dependsOn }];
  for (let task = waiting.pop(); task !== undefined; task = waiting.pop()) {
    const { ref: from, names } = task;
    const refs = names.map((name) => dependencyRef(name, from.project));
    edges.set(taskName(from), refs.map(taskName));
    for (const next of refs) {
      if (edges.has(taskName(next))) continue;
      if (from === ref && taskName(next) !== taskName(ref)) requireThere(home, ref, next);
      edges.set(taskName(next), []);
      const file = taskExists(home, next) ? await readTaskFile(home, next) : undefined;
      waiting.push({ ref: next, names: file?.depends_on ?? [] });
    }
  }
  const [cycle] = findCycles(edges.keys(), (node) => edges.get(node) ?? []);
  if (cycle === undefined) return;
  throw new AppError(
    "dependency.cycle",
    `task ${taskName(ref)}: these depend on each other: ${cycle.join(", ")}; leave one of the dependencies out`,
    { members: cycle },
  );
}

function requireThere(home: Home, ref: TaskRef, dependency: TaskRef): void {
  if (taskExists(home, dependency)) return;
  const name = taskName(dependency);
  throw new AppError("dependency.missing", `task ${taskName(ref)}: depends on ${name}, and there is no such task`, {
    dependency: name,
  });
}

export interface DependencyStatus {
  name: string;
  state: TaskState | "deleted";
  /** Its run has not ended, so its results are not final. */
  live: boolean;
}

export function dependencyStatuses(home: Home, project: string, file: TaskFile): DependencyStatus[] {
  return file.depends_on.map((name) => {
    const ref = dependencyRef(name, project);
    if (!taskExists(home, ref)) return { name, state: "deleted", live: false };
    const { state, live } = readProgress(home, ref.project, ref.task);
    return { name, state, live };
  });
}

export type Readiness = { do: "start" } | { do: "wait" | "fail" | "skip"; reason: string };

/** While its run has not ended, the last word is not spoken: it may have been stopped, not failed. */
const FAILED = new Set(["failed", "cancelled", "deleted"]);

/** Whether a task may start, judged by what it depends on. A failed one decides, also while others still run. */
export function readiness(
  statuses: readonly DependencyStatus[],
  onFailed: TaskFile["policy"]["on_failed_dependency"],
): Readiness {
  const failed = statuses.filter(({ state, live }) => !live && FAILED.has(state));
  if (failed.length > 0) {
    const reason = failed
      .map(({ name, state }) => `${name} ${state === "failed" ? "failed" : `was ${state}`}`)
      .join(", ");
    return { do: onFailed, reason: `depends on what it can't get: ${reason}` };
  }
  const missing = statuses.filter(({ state, live }) => state !== "done" || live);
  if (missing.length === 0) return { do: "start" };
  return { do: "wait", reason: `waits for ${missing.map(({ name }) => name).join(", ")}` };
}

/**
 * The prompt with the results of what it depends on. A prompt that names no dependency is left alone, braces and all: it may
 * be about templates.
 */
export function expandPrompt(home: Home, ref: TaskRef, file: TaskFile): string {
  if (file.depends_on.length === 0 && !NAMES_DEPENDENCY.test(file.prompt)) return file.prompt;
  const template = parseTemplate(file.prompt);
  for (const part of template.parts) {
    if (typeof part !== "string") requireDependency(part.path, file, ref);
  }
  return renderTemplate(template, dependencyData(home, ref.project, file.depends_on));
}

const NAMES_DEPENDENCY = /\{\{\s*(?:index\s+)?\.?deps\b/i;

function requireDependency([root, name = ""]: readonly string[], file: TaskFile, ref: TaskRef): void {
  if ((root !== "Deps" && root !== "deps") || file.depends_on.includes(name)) return;
  const known = file.depends_on.length === 0 ? "nothing" : file.depends_on.join(", ");
  throw new AppError(
    "dependency.missing",
    `task ${taskName(ref)}: its prompt uses results of ${name}, but it depends on ${known}`,
    { dependency: name },
  );
}

/** Under both names of the two forms: `.Deps "x" "Results"` and `deps.x.results`. */
function dependencyData(home: Home, project: string, names: readonly string[]): Record<string, unknown> {
  const all = names.map((name) => ({ name, results: resultsOf(home, dependencyRef(name, project)) }));
  const lines = (results: Record<string, string>) => Object.entries(results).map(([key, value]) => `${key}: ${value}`);
  return {
    Deps: Object.fromEntries(
      all.map(({ name, results }) => [name, { Name: name, Results: results, Outputs: lines(results) }]),
    ),
    deps: Object.fromEntries(all.map(({ name, results }) => [name, { name, results, outputs: lines(results) }])),
  };
}
