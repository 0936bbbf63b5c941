import { z } from "zod";
import { AgentEvent, Content, ToolKind } from "../events.ts";
import { handleIn, isName, isRunId } from "../ids.ts";
import { runStates } from "../runs/record.ts";
import { executorNames, runReasons } from "../runs/run.ts";
import { taskCauses, taskStates } from "../tasks/task.ts";

/** Values that several routes share. Names are narrow because they become folder names. */
export const Name = z.string().max(64).refine(isName, "must be 1 to 64 of a-z, 0-9, '.', '_', '-'");
export const RunId = z.string().max(64).refine(isRunId, "must be a run's id");
export const Handle = z
  .number()
  .int()
  .describe("what people call the run by: 12 is r12; a run of an early version has none");
export const PendingId = z.string().min(1).max(256);
export const Text = z.string().max(1024 * 1024);
export const Time = z.string().describe("ISO 8601, UTC");
export const Executor = z.enum(executorNames);

export const inRun = z.object({
  run: z
    .string()
    .max(64)
    .refine((text) => isRunId(text) || handleIn(text) !== undefined, "must be a run's id, or its number as in r12"),
});
export const inTask = z.object({ project: Name, task: Name });
export const inProject = z.object({ project: Name });

/** `next` reads on; missing at the end. */
export const paging = {
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: z.string().max(256).optional(),
};
export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: z.string().optional() });

export const Flag = z.enum(["true", "false"]).transform((text) => text === "true");

/** RFC 9457. `code` is the name programs go by. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export type Problem = z.infer<typeof Problem>;

/** A run as lists show it. */
export const RunItem = z.object({
  run_id: z.string(),
  handle: Handle.optional(),
  project: z.string(),
  task: z.string(),
  agent: z.string(),
  parent: z.string().optional(),
  previous: z.string().optional(),
  at: Time,
  cwd: z.string(),
  title: z.string(),
  end: z
    .object({
      at: Time,
      status: z.enum(["completed", "failed"]),
      reason: z.enum([...runReasons, ""]),
      exit_code: z.number(),
      cost_usd: z.number(),
      tokens: z.number(),
      turns: z.number(),
    })
    .optional(),
});
export type RunItem = z.infer<typeof RunItem>;

/** A run with all that its record knows, under the names that lists have for it. */
export const RunRecord = RunItem.extend({
  state: z.enum(runStates).describe("lost: its host is gone, and nobody has ended it yet"),
  reason: z.enum([...runReasons, ""]).describe("why it failed"),
  resumes: z.string().describe("the run whose conversation this one goes on with"),
  forked_from: z.string().describe("the run that this one branched off from"),
  agent_version: z.string(),
  profile: z.string(),
  model: z.string(),
  mode: z.enum(["batch", "interactive"]),
  permissions: z.string().describe("ask, allow or deny"),
  on: Executor,
  network: z.enum(["on", "off"]),
  process_ownership: z.enum(["managed", "external"]).describe("external: it was imported"),
  pid: z.number().int().describe("of the agent; 0 while there is none"),
  pgid: z.number().int(),
  agent_start: z.string(),
  host_pid: z.number().int(),
  host_start: z.string(),
  boot_id: z.string(),
  pid_ns: z.string(),
  category: z.string().describe("with turn_failed: of the error that ended the turn"),
  error_summary: z.string(),
  session_id: z.string().describe("the agent's own id of the conversation"),
  prompt_path: z.string(),
  output_path: z.string(),
  stdout_path: z.string(),
  stderr_path: z.string(),
  commandline: z.string().describe("as started, without values that may be secret"),
  input_tokens: z.number().describe("known at its end, as output_tokens"),
  output_tokens: z.number(),
  branch: z.string(),
  base_branch: z.string(),
  commit: z.string(),
  diff_stat: z.string(),
});

export const Phase = z.enum(["starting", "idle", "working", "waiting", "closed"]);

/** A request an agent waits with. `run_id` and `pending_id` name it. */
export const OpenRequestItem = z.object({
  run_id: z.string(),
  handle: Handle.optional(),
  pending_id: z.string(),
  project: z.string(),
  task: z.string(),
  title: z.string(),
  agent: z.string(),
  cwd: z.string(),
  at: Time,
  seq: z.number().int(),
  /** The permission_request or question_request as recorded. */
  request: AgentEvent,
  /** What "always" would store, for a permission. */
  rule: z.object({ kind: ToolKind, match: z.string(), project: z.string(), agent: z.string() }).optional(),
});
export type OpenRequestItem = z.infer<typeof OpenRequestItem>;

/** A task as the board shows it. */
export const TaskItem = z.object({
  project: z.string(),
  task: z.string(),
  title: z.string(),
  state: z.enum(taskStates),
  /** Of a failed or cancelled task: where it was before. */
  from_state: z.enum(taskStates).optional(),
  cause: z.enum(taskCauses),
  since: Time,
  by: z.string(),
  reason: z.string(),
  agent: z.string(),
  priority: z.number(),
  depends_on: z.array(z.string()),
  /** Unfinished tasks it waits for. */
  blocked_by: z.array(z.string()),
  /** Place in the queue, from 1. */
  position: z.number().int().optional(),
  created: Time,
  /** The run that leads it, or led it last; "" before the first. */
  run: z.string(),
  live: z.boolean(),
  runs: z.number().int(),
  review: z.boolean(),
  /** Of that run. */
  phase: Phase.optional(),
  model: z.string().optional(),
  branch: z.string().optional(),
  /** `3 files +10 -2` */
  diff_stat: z.string().optional(),
  cost_usd: z.number().optional(),
  started: Time.optional(),
  ended: Time.optional(),
  /** What its agent said or did last, on one line. */
  last_line: z.string().optional(),
  requests: z.number().int(),
});
export type TaskItem = z.infer<typeof TaskItem>;

export const PromptContent = z.array(Content).min(1).max(64);
