import type { SentCommand } from "../../contract/commands.ts";
import type { Question } from "../../contract/events.ts";
import type { Policy } from "../../contract/requests/policy.ts";
import type { McpServer } from "../../contract/runs/mcp-server.ts";
import type { DecidedRequest } from "../../contract/runs/request.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { LaunchPlan } from "../agents/launch/launch.ts";
import type { PriceTable } from "../agents/registry/price-file.ts";
import type { Executor, OpenSpec, OwnTools } from "../sessions/open.ts";
import type { AskOutcome } from "../sessions/own-questions.ts";
import type { Home } from "../store/home.ts";
import type { RunPaths } from "../store/runs/run-directory.ts";
import type { Fence } from "../workspaces/fence/fence.ts";
import type { EndCause } from "./ending/verdict.ts";
import type { Budget } from "./limits/budget.ts";
import type { Limits } from "./limits/limits.ts";
import type { ToolProgram } from "./own-tools.ts";
import type { Watcher } from "./recorder.ts";

/** All that a run is started with: what was wanted, as it was decided, and what that takes. */
export interface RunSpec extends DecidedRequest {
  limits: DecidedRequest["limits"] & Limits;
  home: Home;
  plan: LaunchPlan;
  /** How to speak to an agent that speaks none of those known by name. */
  protocol?: OpenSpec["protocol"];
  /** Where the agent lives; here, if nothing is said. */
  executor?: Executor;
  /** Between an isolated agent and the person's git, by the directory of the run. */
  fence?: (runDirectory: string) => Fence;
  policy: Policy;
  /** What it may spend, and what of it is gone already. */
  budgets?: readonly Budget[];
  callerEnv: NodeJS.ProcessEnv;
  /** The branch a worktree began at. */
  baseBranch?: string;
  /** What was said before, for an agent that can't load its earlier conversation. */
  recall?: string;
  /** Tells the earlier conversation in words, in case the agent doesn't have it any more. */
  retell?: () => string | undefined;
  /** Where what waited in the earlier run brought along lies. */
  earlierBlobs?: string;
  mcpServers: readonly McpServer[];
  /** Where the run's agent will reach it, once somebody listens there. */
  agentSocket?: (runId: string) => string;
  /** A server that its agent may use as well, if one lives. */
  conductor?: Conductor;
  /** Gives the agent the run's own tools: what carries them to it, over that socket, if there is no shorter way. */
  tools?: ToolProgram;
  /** The shorter ways, by whoever hosts the run. */
  toolHost?: Required<Pick<OwnTools, "connect" | "http">>;
  prices?: PriceTable;
  bin: string;
  clock: Clock;
}

/** A server of this home, and what the run's agent is known by there for as long as the run lives. */
export interface Conductor {
  url: string;
  secret: string;
  /** Of the secret: what the run's claim says of it. */
  hash: string;
}

/** A run under way, as its host has it. */
export interface Run {
  readonly runId: string;
  readonly handle: number;
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
