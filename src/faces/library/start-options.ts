import type { NewRun } from "../../contract/api/runs.ts";
import type { Content } from "../../contract/events.ts";
import type { PermissionMode } from "../../contract/requests/policy.ts";
import { nothingSpent } from "../../contract/runs/budget.ts";
import type { McpServer } from "../../contract/runs/mcp-server.ts";
import type { RunRequest } from "../../contract/runs/request.ts";
import type { ExecutorName, RunInfo } from "../../contract/runs/run.ts";
import { inSeconds } from "../../contract/seconds.ts";

/** What is wanted of a new run. What isn't said comes from the profile, the config and the workspace, as for `cox run`. */
export interface StartOptions {
  prompt: string | readonly Content[];
  /** An absolute path, where the run will be. */
  workspace: string;
  agent?: string;
  /** Counts more than `agent`. */
  profile?: string;
  model?: string;
  /** Without it: the name of the workspace's repository. */
  project?: string;
  /** Without it a new one is made. */
  task?: string;
  title?: string;
  on?: ExecutorName;
  network?: "on" | "off";
  /** Work in a checkout of the task's own. */
  worktree?: boolean;
  /** `batch` (unless you say otherwise): the run ends with its first turn. `interactive`: it stays until it is stopped. */
  mode?: RunInfo["mode"];
  permissions?: PermissionMode;
  /** A person looks at each finished turn: the task goes to review, not to done or failed. */
  review?: boolean;
  timeoutMs?: number;
  idleTimeoutMs?: number;
  maxCostUsd?: number;
  maxTokens?: number;
  maxTurns?: number;
  /** For the agent, over what it has anyway. */
  env?: Readonly<Record<string, string>>;
  /** Over those of the profile. */
  mcpServers?: readonly Pick<McpServer, "name" | "transport">[];
}

/** The same with a text as the content it is. */
export type Start = Omit<StartOptions, "prompt"> & { prompt: readonly Content[] };

/** On this machine. */
export function requestOf(options: Start, by: string): RunRequest {
  const { agent, profile, model, project, task, workspace, on, network, worktree, env } = options;
  const limits = { maxCostUsd: options.maxCostUsd, maxTokens: options.maxTokens, maxTurns: options.maxTurns };
  const isLimited = Object.values(limits).some((limit) => limit !== undefined);
  return {
    who: { ...(profile === undefined ? { agent } : { profile }), model },
    what: {
      prompt: options.prompt,
      title: options.title,
      mode: options.mode ?? "batch",
      review: options.review,
      mcpServers: options.mcpServers,
    },
    where: { project, task, workspace, on, network, worktree: worktree ? {} : undefined, env },
    limits: {
      permissions: options.permissions,
      timeoutMs: options.timeoutMs,
      idleTimeoutMs: options.idleTimeoutMs,
      budget: isLimited ? { of: "this run", limits, spent: nothingSpent } : undefined,
    },
    lineage: { by },
  };
}

/** On a server, whose defaults are those of its page. */
export function newRunOf(options: Start): NewRun {
  const { agent, profile, model, project, task, workspace, on, network, worktree, title, permissions, env } = options;
  return {
    prompt: [...options.prompt],
    ...{ agent, profile, model, project, task, workspace, on, network, worktree, title, permissions },
    mode: options.mode ?? "batch",
    review: options.review ?? false,
    timeout_s: inSeconds(options.timeoutMs),
    idle_timeout_s: inSeconds(options.idleTimeoutMs),
    max_cost_usd: options.maxCostUsd,
    max_tokens: options.maxTokens,
    max_turns: options.maxTurns,
    env: env === undefined ? undefined : { ...env },
    mcp_servers: options.mcpServers?.map(({ name, transport }) => ({ name, transport })),
  };
}
