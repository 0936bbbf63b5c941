import { z } from "zod";
import { RecordedEvent } from "../events.ts";
import { runReasons } from "../runs/run.ts";
import { routes } from "./route.ts";
import {
  Executor,
  Flag,
  Handle,
  inRun,
  Name,
  OpenRequestItem,
  Phase,
  PromptContent,
  page,
  paging,
  RunId,
  RunItem,
  RunRecord,
} from "./values.ts";

/** Its record, and how its conversation stands. */
export const RunDetail = RunRecord.extend({
  phase: Phase,
  /** Seq of its last event. */
  last_seq: z.number().int(),
  open_requests: z.array(OpenRequestItem),
  queue: z.array(z.object({ promptId: z.string(), content: PromptContent, by: z.string().optional() })),
  options: z.array(z.unknown()).describe("the config_options event's options: model, mode, effort …"),
  commands: z.array(
    z.object({ name: z.string(), description: z.string().optional(), inputHint: z.string().optional() }),
  ),
  can: z.array(z.string()).describe("steer, interrupt, resume, fork, images"),
  context: z
    .object({
      used: z.number(),
      size: z.number(),
      remaining: z.number(),
      efficiency: z.number().describe("percent of the window in use"),
      sizeFrom: z.literal("definition").optional().describe("the agent doesn't tell the size: it is its definition's"),
    })
    .optional(),
  /** Whether a prompt would go on with this conversation, and if not, why, with what can be done instead. */
  resumable: z.object({ ok: z.boolean(), why: z.string().optional(), choices: z.array(z.string()).optional() }),
  /** Later runs of the same conversation, and runs it started. */
  next: z.string().optional(),
  children: z.array(RunItem),
});
export type RunDetail = z.infer<typeof RunDetail>;

const Variables = z.record(
  z
    .string()
    .max(200)
    .regex(/^[A-Za-z_]\w*$/, "must be the name of a variable"),
  z.string().max(65536),
);

const NewMcpServer = z.strictObject({
  name: z.string().min(1).max(100),
  transport: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("stdio"),
      command: z.string().min(1).max(4096),
      args: z.array(z.string().max(65536)).max(200).default([]),
      env: Variables.default({}),
    }),
    z.strictObject({
      type: z.enum(["http", "sse"]),
      url: z.url({ protocol: /^https?$/ }).max(4096),
      headers: z.record(z.string().max(200), z.string().max(65536)).default({}),
    }),
  ]),
});

export const NewRun = z.strictObject({
  prompt: PromptContent.describe("what to do; images and files by the hash of an attachment"),
  agent: Name.optional(),
  profile: Name.optional(),
  model: z.string().max(200).optional(),
  project: Name.optional().describe("without it: the name of the workspace's repository"),
  task: Name.optional().describe("without it a new one is made"),
  title: z.string().max(200).optional(),
  workspace: z.string().max(4096).describe("an absolute path"),
  on: Executor.optional(),
  network: z.enum(["on", "off"]).optional(),
  worktree: z.boolean().optional().describe("work in a checkout of the task's own"),
  mode: z.enum(["batch", "interactive"]).default("interactive"),
  permissions: z.enum(["ask", "allow", "deny"]).optional(),
  review: z.boolean().default(true),
  timeout_s: z.number().positive().optional(),
  idle_timeout_s: z.number().positive().optional(),
  max_cost_usd: z.number().positive().optional(),
  max_tokens: z.number().int().positive().optional(),
  max_turns: z.number().int().positive().optional(),
  env: Variables.optional().describe("for the agent, over what it has anyway"),
  mcp_servers: z.array(NewMcpServer).max(50).optional().describe("servers of tools, over those of the profile"),
});
export type NewRun = z.input<typeof NewRun>;

const files = [
  "run-info.yaml",
  "prompt.md",
  "output.md",
  "agent-stdout.txt",
  "agent-stderr.txt",
  "events.jsonl",
  "terminal.cast",
] as const;
export const RunFile = z.enum(files);

export const runRoutes = routes({
  "GET /runs": {
    tag: "runs",
    summary: "Runs, newest first.",
    access: "read",
    query: z.object({
      ...paging,
      project: Name.optional(),
      task: Name.optional(),
      agent: Name.optional(),
      status: z.enum(["running", "completed", "failed"]).optional(),
      reason: z.enum(runReasons).optional(),
      parent: RunId.optional(),
      since: z.string().max(40).optional().describe("started at or after"),
      text: z.string().max(200).optional().describe("in the title"),
    }),
    result: page(RunItem),
  },
  "POST /runs": {
    tag: "runs",
    summary: "Start a run, and its task if there is none.",
    access: "all",
    body: NewRun,
    result: z.object({ run_id: z.string(), handle: Handle, project: z.string(), task: z.string() }),
    creates: true,
  },
  "POST /runs/import": {
    tag: "runs",
    summary: "Take over a finished run made elsewhere, as a whole.",
    access: "import",
    body: z.strictObject({
      run_id: RunId,
      project: Name,
      task: Name,
      title: z.string().max(200).default(""),
      files: z.partialRecord(RunFile, z.string()).describe("texts; run-info.yaml and events.jsonl are required"),
    }),
    result: z.object({ run_id: z.string() }),
    creates: true,
  },
  "GET /runs/{run}": { tag: "runs", summary: "One run.", access: "read", params: inRun, result: RunDetail },
  "DELETE /runs/{run}": {
    tag: "runs",
    summary: "Delete a run that has ended.",
    access: "all",
    params: inRun,
    result: "nothing",
  },
  "GET /runs/{run}/events": {
    tag: "runs",
    summary: "A page of its events, after or before a seq.",
    access: "read",
    params: inRun,
    query: z.object({
      after: z.coerce.number().int().min(0).optional(),
      before: z.coerce
        .number()
        .int()
        .min(1)
        .optional()
        .describe("the last ones before this seq; without both: the newest"),
      limit: z.coerce.number().int().min(1).max(5000).default(500),
    }),
    result: z.object({ events: z.array(RecordedEvent), first_seq: z.number().int(), last_seq: z.number().int() }),
  },
  "GET /runs/{run}/files/{file}": {
    tag: "runs",
    summary: "A file of the run, by range.",
    access: "read",
    params: inRun.extend({ file: RunFile }),
    query: z.object({ download: Flag.optional() }),
    result: "file",
  },
  "GET /runs/{run}/blobs/{sha256}": {
    tag: "runs",
    summary: "A large text or an attachment that an event names by its hash.",
    access: "read",
    params: inRun.extend({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    result: "file",
  },
  "GET /runs/{run}/tree": {
    tag: "runs",
    summary: "The runs above and below it, and the attempts of its loop.",
    access: "read",
    params: inRun,
    result: z.object({ items: z.array(RunItem) }),
  },
  "POST /attachments": {
    tag: "runs",
    summary: "Up to 10 MiB for a prompt; its Content-Type is its type.",
    access: "all",
    query: z.object({ name: z.string().max(200).optional() }),
    body: "bytes",
    result: z.object({
      type: z.enum(["image", "audio", "file"]),
      mimeType: z.string(),
      sha256: z.string(),
      name: z.string().optional(),
    }),
    creates: true,
  },
});
