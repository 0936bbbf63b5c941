import type { SentCommand } from "../../contract/commands.ts";
import type { Content, Question, QueuedPrompt } from "../../contract/events.ts";
import type { PermissionMode, Policy } from "../../contract/requests/policy.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { LaunchPlan } from "../agents/launch/launch.ts";
import type { PriceTable } from "../agents/registry/prices.ts";
import type { Executor, McpServer } from "../sessions/open.ts";
import type { AskOutcome } from "../sessions/own-questions.ts";
import type { Home } from "../store/home.ts";
import type { RunPaths } from "../store/runs/run-directory.ts";
import type { Fence } from "../workspaces/fence/fence.ts";
import type { EndCause } from "./ending/verdict.ts";
import type { Budget } from "./limits/budget.ts";
import type { Limits } from "./limits/limits.ts";
import type { Watcher } from "./recorder.ts";
import type { ToolProgram } from "./tool-server.ts";

/** All that a run is started with. */
export interface RunSpec {
  home: Home;
  project: string;
  task: string;
  plan: LaunchPlan;
  /** Where the agent lives; here, if nothing is said. */
  executor?: Executor;
  /** Between an isolated agent and the person's git, by the directory of the run. */
  fence?: (runDirectory: string) => Fence;
  profile: string;
  prompt: readonly Content[];
  mode: RunInfo["mode"];
  policy: Policy;
  /** As it was asked for: what goes on with this run asks for the same. */
  permissions?: PermissionMode;
  limits: Limits;
  /** What it may spend, and what of it is gone already. */
  budgets?: readonly Budget[];
  callerEnv: NodeJS.ProcessEnv;
  env: Readonly<Record<string, string>>;
  cleanEnv: boolean;
  /** The branch a worktree began at. */
  baseBranch?: string;
  /** Tell the agent about the run it is in, before its first prompt. */
  preamble: boolean;
  /** What was said before, for an agent that can't load its earlier conversation. */
  recall?: string;
  /** A person looks at each finished turn. */
  review: boolean;
  /** One attempt of several: the loop says when the task has ended. */
  looped: boolean;
  parentRunId?: string;
  previousRunId?: string;
  /** The run it branches off from. */
  forkOf?: string;
  resume?: { sessionId: string; fork?: boolean };
  /** Tells the earlier conversation in words, in case the agent doesn't have it any more. */
  retell?: () => string | undefined;
  /** What was set in the earlier run by its person: model, mode, effort. */
  setOptions?: readonly { id: string; value: string | boolean }[];
  /** What lists show of it; without one, the first line of its prompt. */
  title?: string;
  /** Of the first prompt. */
  promptId?: string;
  /** Prompts that waited when an earlier run was lost: they wait again, behind the first one. */
  queued?: readonly QueuedPrompt[];
  /** Where what those brought along lies. */
  earlierBlobs?: string;
  mcpServers: readonly McpServer[];
  /** Where the run's agent will reach it, once somebody listens there. */
  agentSocket?: (runId: string) => string;
  /** Gives the agent the run's own tools, over that socket. */
  tools?: ToolProgram;
  prices?: PriceTable;
  bin: string;
  clock: Clock;
  by?: string;
}

/** A run under way, as its host has it. */
export interface Run {
  readonly runId: string;
  readonly paths: RunPaths;
  watch(watcher: Watcher): () => void;
  /** Resolves when the agent was told and the log knows it. */
  send(command: SentCommand): Promise<void>;
  /** Asks the person on behalf of the run's own tools. */
  ask(questions: readonly Question[], signal: AbortSignal): Promise<AskOutcome>;
  stop(cause: EndCause, graceMs?: number): void;
  /** Never rejects: whatever happened is in the record. */
  readonly ended: Promise<RunInfo>;
}
