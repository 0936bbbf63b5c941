import { z } from "zod";
import type { BusMessage } from "../bus.ts";
import { permissionModes } from "../requests/policy.ts";
import { taskStates } from "../tasks/task.ts";
import { failedDependencyPolicies } from "../tasks/task-file.ts";
import { routes } from "./route.ts";
import { Executor, inProject, inTask, Name, page, paging, RunItem, TaskItem, Text } from "./values.ts";

const NewTask = z.strictObject({
  title: z.string().min(1).max(200),
  prompt: Text,
  project: Name,
  task: Name.optional().describe("without it one is made of the time and the title"),
  agent: Name.optional(),
  profile: Name.optional(),
  workspace: z.string().max(4096).describe("an absolute path"),
  on: Executor.optional(),
  network: z.enum(["on", "off"]).optional(),
  worktree: z
    .strictObject({ base: z.string().max(200).optional() })
    .optional()
    .describe("work in a checkout of the task's own, begun at `base` or at what is checked out"),
  model: z.string().max(200).optional(),
  fallback: z.array(Name).max(20).optional().describe("agents that take over when the first can't work"),
  clean_env: z.boolean().optional().describe("a minimal environment for the agent"),
  permissions: z.enum(permissionModes).optional(),
  tools: z.boolean().optional().describe("false: without the run's own tools"),
  preamble: z.boolean().optional().describe("false: the agent isn't told about its run"),
  same_checkout: z.boolean().optional().describe("the queue may start it beside others in the same checkout"),
  depends_on: z.array(z.string().max(130)).max(200).default([]),
  priority: z.int().min(-100).max(100).default(0),
  review: z.boolean().default(true),
  on_failed_dependency: z.enum(failedDependencyPolicies).default("fail"),
  timeout_s: z.number().positive().optional(),
  idle_timeout_s: z.number().positive().optional(),
  max_cost_usd: z.number().positive().optional(),
  max_tokens: z.number().int().positive().optional(),
  max_turns: z.number().int().positive().optional(),
});
export type NewTask = z.input<typeof NewTask>;

const started = z.object({ run_id: z.string() });
const doing = { tag: "tasks", access: "all", params: inTask } as const;

export const taskRoutes = routes({
  "GET /projects": {
    tag: "tasks",
    summary: "Projects, with how many tasks are where.",
    access: "read",
    result: z.object({
      items: z.array(
        z.object({
          project: z.string(),
          tasks: z.partialRecord(z.enum(taskStates), z.number().int()),
          live: z.number().int(),
          cost_usd: z.number(),
          workspace: z.string().describe("where its latest run worked; a good default for the next"),
        }),
      ),
    }),
  },
  "GET /tasks": {
    tag: "tasks",
    summary: "Tasks, latest change first.",
    access: "read",
    query: z.object({
      ...paging,
      project: Name.optional(),
      state: z.enum(taskStates).optional(),
      text: z.string().max(200).optional(),
    }),
    result: page(TaskItem),
  },
  "POST /tasks": {
    tag: "tasks",
    summary: "Create a task; it is not started.",
    access: "all",
    body: NewTask,
    result: z.object({ project: z.string(), task: z.string() }),
    creates: true,
  },
  "GET /tasks/{project}/{task}": {
    tag: "tasks",
    summary: "One task with its runs.",
    access: "read",
    params: inTask,
    result: z.object({ task: TaskItem, prompt: z.string(), workspace: z.string(), runs: z.array(RunItem) }),
  },
  "POST /tasks/{project}/{task}/start": {
    ...doing,
    summary: "Start it now.",
    body: z
      .strictObject({ agent: Name.optional(), profile: Name.optional(), model: z.string().max(200).optional() })
      .prefault({}),
    result: started,
  },
  "POST /tasks/{project}/{task}/resume": {
    ...doing,
    summary: "Go on with its last conversation.",
    body: z.strictObject({ prompt: Text.optional() }).prefault({}),
    result: started,
  },
  "POST /tasks/{project}/{task}/enqueue": { ...doing, summary: "Put it into the queue.", result: "nothing" },
  "POST /tasks/{project}/{task}/stop": {
    ...doing,
    summary: "End its run, or take it from the queue.",
    result: "nothing",
  },
  "POST /tasks/{project}/{task}/done": { ...doing, summary: "It is done.", result: "nothing" },
  "POST /tasks/{project}/{task}/send-back": {
    ...doing,
    summary: "Not good enough, and why.",
    body: z.strictObject({ text: Text.min(1) }),
    result: started,
  },
  "POST /tasks/{project}/{task}/cancel": {
    ...doing,
    summary: "For good.",
    body: z.strictObject({ reason: z.string().max(2000).optional() }).prefault({}),
    result: "nothing",
  },
  "DELETE /tasks/{project}/{task}": {
    ...doing,
    summary: "Delete it with its runs.",
    query: z.object({ force: z.enum(["true", "false"]).default("false") }),
    result: "nothing",
  },
  "GET /queue": {
    tag: "tasks",
    summary: "What waits to be started, in order.",
    access: "read",
    result: z.object({
      items: z.array(
        z.object({
          project: z.string(),
          task: z.string(),
          title: z.string(),
          position: z.number().int(),
          since: z.string(),
          blocked_by: z.array(z.string()),
        }),
      ),
      live: z.number().int(),
    }),
  },
});

const Message = z
  .custom<BusMessage>((value) => typeof value === "object" && value !== null && "id" in value)
  .meta({
    type: "object",
    description: "id, time, type, project, task, run, parents, links, body, data, cursor",
  });
const reading = z.object({
  since: z.string().max(256).optional().describe("a cursor; without it the last messages"),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  type: z.string().max(40).optional(),
});
const busPage = z.object({ messages: z.array(Message), cursor: z.string(), damaged: z.number().int() });
const posting = z.strictObject({
  type: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,39}$/)
    .default("USER"),
  body: Text.min(1),
  parents: z.array(z.string().max(128)).max(16).default([]),
  links: z.array(z.string().max(2000)).max(16).default([]),
});
const posted = z.object({ id: z.string() });

export const busRoutes = routes({
  "GET /bus/{project}": {
    tag: "bus",
    summary: "Read a project's bus.",
    access: "read",
    params: inProject,
    query: reading,
    result: busPage,
  },
  "POST /bus/{project}": {
    tag: "bus",
    summary: "Post on it.",
    access: "all",
    params: inProject,
    body: posting,
    result: posted,
    creates: true,
  },
  "GET /bus/{project}/{task}": {
    tag: "bus",
    summary: "Read a task's bus.",
    access: "read",
    params: inTask,
    query: reading,
    result: busPage,
  },
  "POST /bus/{project}/{task}": {
    tag: "bus",
    summary: "Post on it.",
    access: "all",
    params: inTask,
    body: posting,
    result: posted,
    creates: true,
  },
});
