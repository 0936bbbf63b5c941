import { existsSync } from "node:fs";
import type { Checked } from "../../../contract/api/index.ts";
import type { taskRoutes } from "../../../contract/api/tasks.ts";
import { AppError } from "../../../contract/errors.ts";
import type { RunSummary } from "../../../contract/runs/run.ts";
import type { TaskState, TaskSummary } from "../../../contract/tasks/task.ts";
import { runIdsOf, taskExists } from "../../../core/store/find-task.ts";
import type { Home } from "../../../core/store/home.ts";
import { readTaskFile, type TaskRef, taskName } from "../../../core/store/task-file.ts";
import { cancelTask, deleteTask, finishTask, stopTask } from "../../../core/tasks/change.ts";
import { createTask } from "../../../core/tasks/create.ts";
import { heal } from "../../../core/tasks/heal.ts";
import { launcher } from "../../../core/tasks/launch.ts";
import { enqueueTask, queueLine } from "../../../core/tasks/queue/queue-line.ts";
import { resumeTask, sendBackTask, startTask } from "../../../core/tasks/start.ts";
import type { Caller, Handlers } from "../api/handlers.ts";
import { pageOf } from "../api/paging.ts";
import type { ServerPorts } from "../ports.ts";
import type { RunIndex } from "../runs/run-index.ts";
import type { TaskIndex } from "../tasks/task-index.ts";

export function taskHandlers(ports: ServerPorts, index: TaskIndex, runs: RunIndex): Handlers<keyof typeof taskRoutes> {
  const { home, clock } = ports;
  const launch = launcher(ports.start);
  const doing = ({ by }: Caller) => ({ by, clock });
  return {
    "GET /projects": async () => ({ items: projectsOf(runs, await index.all()) }),

    "GET /tasks": async ({ query: { limit, cursor, project, state, text } }) => {
      const all = await index.all();
      const wanted = all.filter((task) => fits(task, { project, state, text }));
      const { items, next } = pageOf(wanted, { limit, cursor }, taskName);
      return { items: index.items(all, items), next };
    },

    "POST /tasks": ({ body }, { by }) => {
      requireFolder(body.workspace);
      return createTask(home, { ...taskIn(body), created: "", by }, clock.now());
    },

    "GET /tasks/{project}/{task}": async ({ params }) => {
      requireTask(home, params);
      const [task, file] = [await index.item(params), await readTaskFile(home, params)];
      const list = runsOf(home, runs, params);
      return { task, prompt: file?.prompt ?? "", workspace: file?.workspace ?? list[0]?.cwd ?? "", runs: list };
    },

    "POST /tasks/{project}/{task}/start": async ({ params, body }, caller) => {
      requireTask(home, params);
      const wishes = { who: body };
      return { run_id: await startTask(home, params, { ...doing(caller), wishes }, launch) };
    },

    "POST /tasks/{project}/{task}/resume": async ({ params, body }, caller) => {
      requireTask(home, params);
      const how = { ...doing(caller), prompt: body.prompt };
      return { run_id: await resumeTask(home, params, how, launch) };
    },

    "POST /tasks/{project}/{task}/enqueue": async ({ params }, caller) => {
      requireTask(home, params);
      await enqueueTask(home, params, doing(caller));
      return undefined;
    },

    "POST /tasks/{project}/{task}/stop": async ({ params }, caller) => {
      requireTask(home, params);
      await heal(home, clock);
      await stopTask(home, params, doing(caller));
      return undefined;
    },

    "POST /tasks/{project}/{task}/done": async ({ params }, caller) => {
      requireTask(home, params);
      await finishTask(home, params, doing(caller));
      return undefined;
    },

    "POST /tasks/{project}/{task}/send-back": async ({ params, body }, caller) => {
      requireTask(home, params);
      return { run_id: await sendBackTask(home, params, body.text, doing(caller), launch) };
    },

    "POST /tasks/{project}/{task}/cancel": async ({ params, body }, caller) => {
      requireTask(home, params);
      await cancelTask(home, params, { ...doing(caller), reason: body.reason });
      return undefined;
    },

    "DELETE /tasks/{project}/{task}": async ({ params, query }) => {
      requireTask(home, params);
      await heal(home, clock);
      await deleteTask(home, params, { force: query.force === "true", at: new Date(clock.now()).toISOString() });
      return undefined;
    },

    "GET /queue": async () => {
      const all = new Map((await index.all()).map((summary) => [taskName(summary), summary]));
      const line = queueLine(home);
      const items = line
        .filter(({ status }) => status !== "running")
        .map(({ project, task, position, at, reason }) => ({
          project,
          task,
          title: all.get(`${project}/${task}`)?.title ?? "",
          position,
          since: at,
          blocked_by: reason === "" ? [] : [reason],
        }));
      return { items, live: line.length - items.length };
    },
  };
}

function taskIn({
  timeout_s,
  idle_timeout_s,
  max_cost_usd,
  max_tokens,
  max_turns,
  review,
  on_failed_dependency,
  same_checkout,
  ...rest
}: Checked<"POST /tasks">["body"]) {
  const limits = { timeout: timeout_s, idle_timeout: idle_timeout_s, max_cost_usd, max_tokens, max_turns };
  return { version: 1 as const, ...rest, policy: { review, on_failed_dependency, same_checkout }, limits };
}

function projectsOf(runs: RunIndex, tasks: readonly TaskSummary[]) {
  const projects = new Map<
    string,
    { tasks: Partial<Record<TaskState, number>>; live: number; cost_usd: number; workspace: string }
  >();
  for (const { project, state, live } of tasks) {
    const entry = projects.get(project) ?? { tasks: {}, live: 0, cost_usd: 0, workspace: "" };
    entry.tasks[state] = (entry.tasks[state] ?? 0) + 1;
    if (live) entry.live += 1;
    projects.set(project, entry);
  }
  for (const [project, { costUsd, cwd }] of runs.projects()) {
    const entry = projects.get(project);
    if (entry !== undefined) Object.assign(entry, { cost_usd: costUsd, workspace: cwd });
  }
  return [...projects].map(([project, entry]) => ({ project, ...entry }));
}

function fits(task: TaskSummary, wanted: { project?: string; state?: TaskState; text?: string }): boolean {
  const { project = task.project, state = task.state, text = "" } = wanted;
  if (task.project !== project || task.state !== state) return false;
  return text === "" || `${task.project}/${task.task} ${task.title}`.toLowerCase().includes(text.toLowerCase());
}

/** Newest first. Its own folder names them: the history of everything else is not looked at. */
function runsOf(home: Home, runs: RunIndex, ref: TaskRef): RunSummary[] {
  return runIdsOf(home, ref)
    .toReversed()
    .flatMap((runId) => {
      const { paths: _, ...summary } = runs.get(runId) ?? { paths: undefined };
      return "run_id" in summary ? [summary] : [];
    });
}

export function requireTask(home: Home, ref: TaskRef): void {
  if (taskExists(home, ref)) return;
  throw new AppError("task.not_found", `task ${taskName(ref)}: there is no such task`);
}

function requireFolder(path: string): void {
  if (path.startsWith("/") && existsSync(path)) return;
  throw new AppError("workspace.invalid", `workspace ${path}: must be the absolute path of a folder that exists`);
}
