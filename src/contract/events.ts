import { z } from "zod";
import { errorCategories } from "./categories.ts";
import { toolKinds } from "./tool-kinds.ts";

/**
 * The contract between agents and everything else. Only types and schemas live here; what follows from events is
 * computed in runs/. Tags are snake_case, fields camelCase.
 */

/** Text over 64 KB lies in the run's blobs/ and is named by its hash. */
export const Body = z.union([z.string(), z.object({ head: z.string(), bytes: z.number(), sha256: z.string() })]);
export type Body = z.infer<typeof Body>;

export const Content = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.enum(["image", "audio", "file"]),
    mimeType: z.string(),
    sha256: z.string(),
    name: z.string().optional(),
  }),
]);
export type Content = z.infer<typeof Content>;

export const Usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
  reasoning: z.number().optional(),
  model: z.string().optional(),
  costUsd: z.number().optional(),
  costSource: z.enum(["reported", "estimated"]).optional(),
});
export type Usage = z.infer<typeof Usage>;

export const ToolKind = z.enum(toolKinds);
export type ToolKind = z.infer<typeof ToolKind>;

export const FileDiff = z.object({
  path: z.string(),
  oldPath: z.string().optional(),
  change: z.enum(["create", "modify", "delete", "rename"]),
  unified: Body,
});
export type FileDiff = z.infer<typeof FileDiff>;

export const ToolStatus = z.enum(["pending", "running", "completed", "failed", "denied", "cancelled"]);
export type ToolStatus = z.infer<typeof ToolStatus>;

const toolFields = {
  parentToolCallId: z.string().optional(),
  /** Machine-readable: "Bash". */
  toolName: z.string(),
  /** For people: "ls -la /tmp". */
  toolTitle: z.string(),
  kind: ToolKind,
  toolArgs: z.unknown().optional(),
  toolStatus: ToolStatus,
  result: Body.optional(),
  exitCode: z.number().optional(),
  diffs: z.array(FileDiff).optional(),
  locations: z.array(z.object({ path: z.string(), line: z.number().optional() })).optional(),
};
export const Tool = z.object({ toolCallId: z.string(), ...toolFields });
export type Tool = z.infer<typeof Tool>;

export const Choice = z.object({ value: z.string(), label: z.string(), description: z.string().optional() });
export type Choice = z.infer<typeof Choice>;

export const Question = z.object({
  id: z.string(),
  text: z.string(),
  header: z.string().optional(),
  answer: z.enum(["choice", "choices", "text", "number", "boolean"]),
  choices: z.array(Choice).optional(),
  allowOther: z.boolean().optional(),
  secret: z.boolean().optional(),
});
export type Question = z.infer<typeof Question>;

export const PermissionOption = z.object({
  id: z.string(),
  label: z.string(),
  kind: z.enum(["allow_once", "allow_always", "reject_once", "reject_always"]),
});
export type PermissionOption = z.infer<typeof PermissionOption>;

export const ErrorCategory = z.enum(errorCategories);
export type ErrorCategory = z.infer<typeof ErrorCategory>;

const turn = z.string().optional();
/** Who decides on a request, known when it is asked. Older logs don't say it: take it for a person. */
const decider = z.enum(["rule", "policy", "person"]).optional();

const SessionStatus = z.discriminatedUnion("status", [
  z.object({
    type: z.literal("session_status"),
    status: z.enum(["new", "resumed", "updated"]),
    /** The agent's own id of the conversation: the resume token. */
    sessionId: z.string(),
    title: z.string().optional(),
    agentVersion: z.string().optional(),
    resumedBy: z.enum(["native", "flag", "context"]).optional(),
    can: z.array(z.enum(["steer", "interrupt", "resume", "fork", "images"])).optional(),
  }),
  z.object({
    type: z.literal("session_status"),
    status: z.literal("parked"),
    reason: z.string(),
    until: z.string().optional(),
  }),
  /** Always the last event of a log. */
  z.object({
    type: z.literal("session_status"),
    status: z.literal("closed"),
    reason: z.string(),
    exitCode: z.number().optional(),
    signal: z.string().optional(),
  }),
]);

export const ConfigOption = z.object({
  id: z.string(),
  name: z.string(),
  category: z.enum(["model", "mode", "effort", "other"]),
  value: z.union([z.string(), z.boolean()]),
  choices: z.array(Choice).optional(),
});
export type ConfigOption = z.infer<typeof ConfigOption>;

export const QueuedPrompt = z.object({ promptId: z.string(), content: z.array(Content), by: z.string().optional() });
export type QueuedPrompt = z.infer<typeof QueuedPrompt>;

export const AgentEvent = z.discriminatedUnion("type", [
  // the conversation
  SessionStatus,
  z.object({ type: z.literal("config_options"), options: z.array(ConfigOption) }),
  z.object({
    type: z.literal("commands"),
    commands: z.array(
      z.object({ name: z.string(), description: z.string().optional(), inputHint: z.string().optional() }),
    ),
  }),
  z.object({
    type: z.literal("user_message"),
    promptId: z.string(),
    turn,
    content: z.array(Content),
    delivery: z.enum(["start", "steer"]),
    by: z.string().optional(),
  }),
  /** The whole queue, each time it changes. */
  z.object({ type: z.literal("prompt_queue"), prompts: z.array(QueuedPrompt) }),

  // a turn
  z.object({ type: z.literal("turn_started"), turn: z.string() }),
  z.object({
    type: z.enum(["message_chunk", "reasoning"]),
    turn,
    messageId: z.string(),
    parentToolCallId: z.string().optional(),
    text: z.string(),
    /** The text takes the place of what this message said so far. */
    replace: z.literal(true).optional(),
  }),
  Tool.extend({ type: z.literal("tool_call"), turn }),
  Tool.partial().extend({
    type: z.literal("tool_update"),
    turn,
    toolCallId: z.string(),
    outputChunk: z.string().optional(),
  }),
  z.object({
    type: z.literal("plan"),
    turn,
    markdown: Body.optional(),
    entries: z.array(
      z.object({
        text: z.string(),
        status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
        priority: z.string().optional(),
      }),
    ),
  }),
  /** Exactly once per turn, after its last chunk. */
  z.object({
    type: z.literal("complete"),
    turn: z.string(),
    outcome: z.enum(["completed", "interrupted", "failed"]),
    stopReason: z.enum(["end_turn", "max_tokens", "max_turns", "refusal", "cancelled"]).optional(),
    reason: z.string().optional(),
    usage: Usage.optional(),
    durationMs: z.number().optional(),
  }),

  // the agent asks
  z.object({
    type: z.literal("permission_request"),
    pendingId: z.string(),
    decider,
    turn,
    toolCallId: z.string().optional(),
    /** That of the tool call, where there is one. */
    toolName: z.string().optional(),
    permissionTitle: z.string(),
    reason: z.string().optional(),
    source: z.enum(["protocol", "screen"]),
    expiresAt: z.string().optional(),
    actionType: ToolKind,
    actionDetails: z.object({
      command: z.string().optional(),
      cwd: z.string().optional(),
      paths: z.array(z.string()).optional(),
      url: z.string().optional(),
      diffs: z.array(FileDiff).optional(),
    }),
    permissionOptions: z.array(PermissionOption),
    /** The agent can only be told yes or no: a reason is for the record. */
    takesReason: z.literal(false).optional(),
  }),
  z.object({
    type: z.literal("question_request"),
    pendingId: z.string(),
    decider,
    turn,
    toolCallId: z.string().optional(),
    message: z.string().optional(),
    questions: z.array(Question),
    url: z.string().optional(),
    expiresAt: z.string().optional(),
  }),
  z.object({
    type: z.literal("request_resolved"),
    pendingId: z.string(),
    outcome: z.enum(["allowed", "denied", "answered", "cancelled", "expired"]),
    by: z.enum(["person", "rule", "policy", "agent"]),
    who: z.string().optional(),
    optionId: z.string().optional(),
    reason: z.string().optional(),
  }),

  // figures and troubles
  /** Remaining and efficiency (percent) are derived. With `sizeFrom` the agent told only what it used: the size is its definition's. */
  z.object({
    type: z.literal("context_window"),
    used: z.number(),
    size: z.number(),
    sizeFrom: z.literal("definition").optional(),
  }),
  /** So far in this turn; only complete.usage is billed. */
  z.object({ type: z.literal("usage"), turn: z.string(), usage: Usage }),
  z.object({
    type: z.literal("rate_limit"),
    status: z.enum(["ok", "warning", "limited"]),
    scope: z.string().optional(),
    usedPercent: z.number().optional(),
    resetsAt: z.string().optional(),
  }),
  /** retrying, compacted, model_fallback, shrunk_file … */
  z.object({ type: z.literal("notice"), turn, code: z.string(), text: z.string(), data: z.unknown().optional() }),
  z.object({
    type: z.literal("error"),
    turn,
    message: z.string(),
    retryable: z.boolean(),
    httpStatus: z.number().optional(),
    remedy: z.string().optional(),
    stderrTail: z.string().optional(),
    category: ErrorCategory,
  }),
  z.object({
    type: z.literal("unmapped"),
    protocol: z.string(),
    why: z.enum(["unknown_type", "unparsed", "oversized"]),
    wireType: z.string().optional(),
    bytes: z.number(),
    raw: z.string().optional(),
  }),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
/** The member that carries this tag; two tags may share one member. */
export type EventOf<T extends AgentEvent["type"]> = MemberOf<AgentEvent, T>;
type MemberOf<E, T> = E extends { type: infer K } ? (T extends K ? E : never) : never;
/** `seq` comes first in the line, so that a replay can cut it out without parsing the rest. */
export type RecordedEvent = { seq: number; at: string; sessionId?: string | undefined } & AgentEvent;
export const RecordedEvent = z.intersection(
  z.object({
    seq: z.number().int().positive(),
    at: z.string(),
    sessionId: z.string().optional().describe("the agent's own id of the conversation, once it is known"),
  }),
  AgentEvent,
);
