import { z } from "zod";
import type { BusPage } from "./bus.ts";
import type { RunReason, RunStatus } from "./runs/run.ts";
import type { TaskState } from "./tasks/task.ts";

/**
 * What an agent may ask of its own run, and nothing else: the socket that serves it, its client and the MCP server read this
 * one table. Whose run and task is meant is never said: it is that of the socket, so nobody can name another. Strict, so that
 * whoever tries is told.
 */

const MAX_TEXT = 1024 * 1024;
const text = (what: string) => z.string().min(1).max(MAX_TEXT).describe(what);
const runId = z.string().min(1).max(64).describe("the run_id that spawn_run returned");

export const agentOps = {
  bus_post: {
    summary: "Post a message on the bus of this run's task. People and other agents read it there.",
    params: z.strictObject({
      body: text("what to say"),
      type: z
        .string()
        .default("INFO")
        .describe("INFO, PROGRESS, FACT, DECISION, WARNING, ERROR, RESULT (`key: value` lines), QUESTION, ANSWER"),
      parents: z.array(z.string()).max(16).default([]).describe("ids of messages this one answers or follows"),
      links: z.array(z.string()).max(16).default([]).describe("addresses that belong to it"),
    }),
  },
  bus_read: {
    summary: "Read the bus of this run's task: what people, other agents and earlier runs said.",
    params: z.strictObject({
      since: z.string().optional().describe("only what came after this cursor; without it the last messages"),
      limit: z.int().min(1).max(200).default(20).describe("at most so many"),
      type: z.string().optional().describe("only messages of this type"),
    }),
  },
  ask_user: {
    summary: "Ask the person a question and wait for the answer. Only for what you can't find out or decide yourself.",
    params: z.strictObject({
      question: z.string().min(1).max(4000).describe("one question, understandable without your context"),
      choices: z.array(z.string().min(1).max(400)).max(20).default([]).describe("answers to choose from, if any"),
      multiple: z.boolean().default(false).describe("several choices may be taken"),
      allow_other: z.boolean().default(true).describe("an answer of their own words is fine too"),
    }),
  },
  spawn_run: {
    summary:
      "Start another agent on a separate piece of work, as a child of this run. Returns at once with its run_id.",
    params: z.strictObject({
      prompt: text("what it should do; it knows nothing of your conversation"),
      agent: z.string().optional().describe("which agent; without it the same as yours"),
      model: z.string().optional().describe("which model"),
      task: z.string().optional().describe("a name for its task; without it a new one is made"),
      cwd: z.string().optional().describe("a folder inside your workspace; without it your workspace"),
      timeout_s: z.number().positive().optional().describe("end it after so many seconds"),
    }),
  },
  wait_run: {
    summary: "Wait until runs that you started have ended, or the time is over. Call it again to go on waiting.",
    params: z.strictObject({
      run_ids: z.array(runId).min(1).max(20),
      timeout_s: z.number().min(0).max(3600).default(50).describe("how long to wait at most"),
    }),
  },
  run_status: {
    summary: "How a run that you started stands, and what it has produced.",
    params: z.strictObject({
      run_id: runId,
      output: z.boolean().default(true).describe("also what it produced"),
    }),
  },
  task_create: {
    summary: "Note a new task for later. It is not started: a person, or their queue, does that.",
    params: z.strictObject({
      title: z.string().min(1).max(200),
      prompt: text("what is to be done; whoever does it knows nothing of your conversation"),
      task: z.string().optional().describe("its name; without it one is made of the time and the title"),
      agent: z.string().optional().describe("which agent should do it"),
      depends_on: z.array(z.string()).max(50).default([]).describe("names of tasks that must be done before"),
      review: z.boolean().default(false).describe("a person looks at it before it is done"),
      priority: z.int().min(-100).max(100).default(0),
    }),
  },
  task_status: {
    summary: "How a task stands: your own (without a name), one that you created, or that of a run you started.",
    params: z.strictObject({ task: z.string().optional().describe("its name") }),
  },
} as const;

export type AgentOp = keyof typeof agentOps;
export const isAgentOp = (name: string): name is AgentOp => Object.hasOwn(agentOps, name);

/** As a caller writes them, and as they arrive with the defaults filled in. */
export type ParamsOf<Op extends AgentOp> = z.input<(typeof agentOps)[Op]["params"]>;
export type GivenTo<Op extends AgentOp> = z.output<(typeof agentOps)[Op]["params"]>;

export interface AgentResults {
  bus_post: { id: string };
  /** A body of more than 64 KB comes with its beginning and its size. */
  bus_read: BusPage;
  ask_user: UserAnswer;
  spawn_run: { run_id: string; task: string };
  wait_run: { ended: boolean; runs: RunReport[] };
  run_status: RunReport & { output?: string; output_bytes?: number };
  task_create: { task: string };
  task_status: TaskReport;
}

/** A person who doesn't answer has not failed: it is what they said. */
export type UserAnswer =
  | { outcome: "answered"; answers: string[] }
  | { outcome: "declined" | "cancelled"; reason: string };

export interface RunReport {
  run_id: string;
  task: string;
  agent: string;
  status: RunStatus;
  reason: RunReason | "";
  exit_code: number;
  error: string;
  started: string;
  ended: string;
}

export interface TaskReport {
  task: string;
  title: string;
  state: TaskState;
  since: string;
  reason: string;
  runs: number;
  live: boolean;
}

/** One line each way. Replies come as they are ready, so that a question doesn't hold up the rest. */
export const AgentRequest = z.strictObject({ id: z.int(), method: z.string(), params: z.unknown().optional() });
export type AgentRequest = z.infer<typeof AgentRequest>;
export type AgentReply =
  | { id: number; result: unknown }
  | { id: number; error: { code: string; message: string; details?: unknown } };

/** How many runs one run may start, and how deep the tree may grow. */
export interface ChildLimits {
  /** Runs above a child, itself not counted. */
  depth: number;
  live: number;
  total: number;
}
