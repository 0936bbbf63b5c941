import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AppError, wrap } from "../../contract/errors.ts";
import type { Content, QueuedPrompt } from "../../contract/events.ts";
import type { PermissionMode, Policy } from "../../contract/requests/policy.ts";
import type { ExecutorName, RunInfo } from "../../contract/runs/run.ts";
import { addEvent, emptyTranscript } from "../../contract/runs/transcript.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { diskError } from "../../lib/files/disk-error.ts";
import { packageRoot } from "../../lib/files/package-root.ts";
import { findExecutable } from "../../lib/process/path/executable.ts";
import type { Discovered } from "../agents/discovery/discovery.ts";
import { retell } from "../agents/launch/retelling.ts";
import type { AgentDefinition } from "../agents/registry/definition.ts";
import { loadPrices } from "../agents/registry/prices.ts";
import { loadRegistry } from "../agents/registry/registry.ts";
import { readConfig } from "../config/config-file.ts";
import type { McpServer } from "../protocols/protocol.ts";
import { budgetsFor, type GivenBudget } from "../runner/limits/budgets.ts";
import type { RunSpec } from "../runner/run.ts";
import { readEvents } from "../runs/event-file.ts";
import { homeAt, openHome } from "../store/home.ts";
import { type FoundRun, findRun } from "../store/runs/find-run.ts";
import { requirePlace } from "../store/runs/lineage.ts";
import { distrustWorkspace } from "../workspaces/git/writable-places.ts";
import { childLimits } from "./child-limits.ts";
import { ownTools } from "./own-tools.ts";
import { planRun, requireProfile } from "./plan-run.ts";
import { executorFor } from "./where/executor-for.ts";
import { type WorktreeChoice, worktreeFor } from "./where/worktree-run.ts";

/** Everything a person wants of a run, as plain data: a detached host gets it on its stdin. */
export interface RunRequest {
  home: string;
  project: string;
  task: string;
  agent: string;
  /** Who takes over, in this order, when it can't work. */
  fallback?: string[];
  /** By name: its secrets are read where the run is started, and are in no request. */
  profile: string;
  model?: string;
  workspace: string;
  /** Where the agent lives; else the profile says it, or its image does. */
  on?: ExecutorName;
  /** Off: only where it is isolated. */
  network?: "on" | "off";
  /** Work in a checkout of the task's own, made of the repository the workspace is in. */
  worktree?: WorktreeChoice;
  /** Without one, the first line of the prompt. */
  title?: string;
  prompt: Content[];
  mode: RunInfo["mode"];
  permissions: PermissionMode;
  /** Per kind of tool, over `permissions`. */
  permissionKinds?: Policy["kinds"];
  unattended?: string;
  timeoutMs?: number;
  idleTimeoutMs?: number;
  budget?: GivenBudget;
  env: Record<string, string>;
  cleanEnv: boolean;
  preamble: boolean;
  /** `false`: the agent doesn't get the run's own tools. */
  tools?: boolean;
  /** A person looks at each finished turn: the task goes to review, not to done or failed. */
  review?: boolean;
  /** One attempt of several. */
  looped?: boolean;
  parentRunId?: string;
  previousRunId?: string;
  /** The run it branches off from, and the last turn of it that counts. */
  forkOf?: { run: string; turn?: string };
  /** Another agent than the one that held the conversation is told of it: it knows nothing of that session. */
  resume?: { sessionId: string; otherAgent?: boolean; fork?: boolean };
  /** What its person had set in the earlier run. */
  setOptions?: { id: string; value: string | boolean }[];
  /** Of the first prompt, so that whoever sent it knows it again. */
  promptId?: string;
  /** Prompts that waited when the earlier run was lost. */
  queued?: QueuedPrompt[];
  /** Over those of the profile. */
  mcpServers?: McpServer[];
  /** Close the conversation when nothing was asked for this long. */
  closeIdleMs?: number;
  by: string;
}

/**
 * A run that can be started, with the wishes it comes from: the runs that its agent starts inherit them. What fences it in by
 * its profile or its image is among them, so that it holds for whatever agent they are.
 */
export interface PreparedRun extends RunSpec {
  request: RunRequest;
  /** The folder of this machine that it works on: a worktree, where it has one. */
  workspace: string;
}

/** From wishes to a run that can be started; whatever is wrong with them is said here, before anything is made. */
export async function prepareRun(asked: RunRequest, callerEnv: NodeJS.ProcessEnv, clock: Clock): Promise<PreparedRun> {
  const worktree = asked.worktree && (await worktreeFor(asked, asked.worktree));
  const request = worktree === undefined ? asked : { ...asked, workspace: worktree.record.path };
  distrustWorkspace(request.workspace);
  const definition = loadRegistry(request.home).get(request.agent);
  const profile = request.profile === "" ? undefined : await requireProfile(request);
  const { plan, found, place, mcpServers } = planRun(request, definition, profile, callerEnv);
  if (plan.container === undefined) requireInstalled(definition, found, callerEnv);
  const tools = ownTools(request, place.own, profile, plan.protocol, mcpServers);
  const home = openHome(request.home);
  if (request.parentRunId) requirePlace(home, request.parentRunId, childLimits(await readConfig(request.home)));
  const budgets = budgetsFor(home, request.project, request.budget, clock);
  if (plan.privateHome !== undefined) makePrivateHome(plan.privateHome);
  const lodging = await executorFor({ place, plan, request, home, callerEnv, clock });
  return {
    home,
    project: request.project,
    task: request.task,
    title: request.title,
    plan,
    ...lodging,
    profile: request.profile,
    prompt: request.prompt,
    mode: request.mode,
    permissions: request.permissions,
    policy: {
      default: plan.approve ? "allow" : request.permissions,
      kinds: request.permissionKinds,
      unattended: request.unattended,
      ownTools: tools !== undefined,
    },
    limits: {
      timeoutMs: request.timeoutMs ?? plan.timeoutMs,
      idleTimeoutMs: request.idleTimeoutMs,
      closeIdleMs: request.closeIdleMs,
    },
    budgets,
    callerEnv,
    env: request.env,
    cleanEnv: request.cleanEnv,
    preamble: request.preamble,
    baseBranch: worktree?.record.base_branch,
    recall: plan.resume?.by === "context" ? recall(request) : undefined,
    retell: () => recall(request),
    review: request.review ?? false,
    looped: request.looped ?? false,
    parentRunId: request.parentRunId,
    previousRunId: request.previousRunId,
    forkOf: request.forkOf?.run,
    resume: request.resume,
    setOptions: request.setOptions,
    promptId: request.promptId,
    queued: request.queued,
    earlierBlobs: earlierRun(request)?.paths.blobs,
    mcpServers: [...mcpServers, ...(request.mcpServers ?? [])],
    tools,
    prices: loadPrices(request.home),
    bin: join(packageRoot(), "bin"),
    clock,
    by: request.by,
    workspace: request.workspace,
    request: place.isolated === undefined ? asked : { ...asked, on: place.on, network: place.network ? "on" : "off" },
  };
}

/** Before there is a run: with what a shell would say of the program, and how to get it. */
function requireInstalled(
  { id, cmd: [program = ""] }: AgentDefinition,
  found: Discovered,
  env: NodeJS.ProcessEnv,
): void {
  if (found.state !== "missing" && found.state !== "not_on_path") return;
  try {
    findExecutable(program, { path: env.PATH, cwd: "/" });
  } catch (error) {
    const why = wrap(`agent ${id}`, error);
    throw new AppError(why.code, `${why.message}; get it with: ${found.remedy}`, why.details, { cause: error });
  }
}

function makePrivateHome(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("make the agent's private home", folder, error);
  }
}

function earlierRun({ home, previousRunId, forkOf }: RunRequest): FoundRun | undefined {
  const earlier = forkOf?.run ?? previousRunId;
  return earlier === undefined ? undefined : findRun(homeAt(home), earlier);
}

/** What was said in the run that this one goes on from; of one that it branches off from, up to that turn. */
function recall(request: RunRequest): string | undefined {
  const earlier = earlierRun(request);
  if (earlier === undefined) return undefined;
  const transcript = emptyTranscript();
  for (const events of readEvents(earlier.paths.events)) {
    for (const event of events) {
      addEvent(transcript, event);
      if (event.type === "complete" && event.turn === request.forkOf?.turn) return retell(transcript.items);
    }
  }
  return retell(transcript.items);
}
