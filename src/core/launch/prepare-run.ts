import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AppError, wrap } from "../../contract/errors.ts";
import type { DecidedRequest } from "../../contract/runs/request.ts";
import { addEvent, emptyTranscript } from "../../contract/sessions/transcript.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { diskError } from "../../lib/files/disk-error.ts";
import { packageRoot } from "../../lib/files/package-root.ts";
import { findExecutable } from "../../lib/process/path/executable.ts";
import type { Discovered } from "../agents/discovery/discovery.ts";
import { retell } from "../agents/launch/retelling.ts";
import type { AgentDefinition } from "../agents/registry/definition.ts";
import { loadPrices } from "../agents/registry/prices.ts";
import type { Config } from "../config/config-keys.ts";
import { budgetsFor } from "../runner/limits/budgets.ts";
import type { RunSpec } from "../runner/run.ts";
import { readEvents } from "../store/events/event-reader.ts";
import { type Home, openHome } from "../store/home.ts";
import { type FoundRun, findRun } from "../store/runs/find-run.ts";
import { requirePlace } from "../store/runs/lineage.ts";
import { distrustWorkspace } from "../workspaces/git/writable-places.ts";
import { childLimits } from "./child-limits.ts";
import { ownTools } from "./own-tools.ts";
import { planRun, requireProfile } from "./plan-run.ts";
import type { Settings } from "./settings.ts";
import { executorFor } from "./where/executor-for.ts";
import { worktreeFor } from "./where/worktree-run.ts";

/** A run that can be started: the runs that its agent starts inherit what was decided for it. */
export interface PreparedRun extends RunSpec {
  /** The folder that was named; where the run has a worktree, that was made of it. */
  repository: string;
  config: Config;
}

export interface PrepareContext {
  env: NodeJS.ProcessEnv;
  clock: Clock;
  /** An agent that is in no list: what is known of it, and how to speak to it. */
  registered?: { definition: AgentDefinition; protocol: RunSpec["protocol"] };
}

/** From what was decided to a run that can be started; whatever is wrong with it is said here, before anything is made. */
export async function prepareRun(
  request: DecidedRequest,
  { env: callerEnv, clock, registered }: PrepareContext,
  settings: Settings,
): Promise<PreparedRun> {
  const { who, what, limits, lineage } = request;
  const root = settings.home;
  const config = await settings.config();
  const worktree =
    request.where.worktree && (await worktreeFor(root, request.where, request.where.worktree.base, config));
  const asked = { ...request.where, workspace: worktree?.record.path ?? request.where.workspace };
  distrustWorkspace(asked.workspace);
  const definition = registered?.definition ?? (await settings.registry()).get(who.agent);
  const profile = who.profile === "" ? undefined : await requireProfile(settings, who);
  const { permissions } = limits;
  const wishes = { home: root, who, where: asked, permissions, conversation: lineage.conversation };
  const { plan, found, place, mcpServers } = planRun(wishes, definition, profile, callerEnv);
  if (plan.container === undefined) requireInstalled(definition, found, callerEnv);
  const tools = ownTools(what, place.own, profile, plan, mcpServers);
  const home = openHome(root);
  if (lineage.parent) requirePlace(home, lineage.parent, childLimits(config));
  const budgets = budgetsFor(home, asked.project, limits.budget, clock);
  if (plan.privateHome !== undefined) makePrivateHome(plan.privateHome);
  const lodging = await executorFor({
    place,
    plan,
    workspace: asked.workspace,
    lineage,
    home,
    config,
    callerEnv,
    clock,
  });
  const earlier = earlierRun(home, lineage);
  return {
    who,
    // What it says of commands and files is nothing to a model that has neither.
    what: plan.protocol === "rest" ? { ...what, preamble: false } : what,
    // What fences it in by its profile or its image is part of where it is: it holds for whatever its agent starts.
    where: place.isolated === undefined ? asked : { ...asked, on: place.on, network: place.network ? "on" : "off" },
    limits:
      limits.timeoutMs !== undefined
        ? { ...limits, timeoutMs: limits.timeoutMs }
        : {
            ...limits,
            timeoutMs: plan.timeoutMs,
            timeoutFrom: `resource_limits.timeout_seconds of ${definition.id} in agents.json`,
          },
    lineage,
    repository: request.where.workspace,
    home,
    config,
    plan,
    protocol: registered?.protocol,
    ...lodging,
    policy: {
      default: plan.approve ? "allow" : permissions,
      kinds: limits.permissionKinds,
      unattended: limits.unattended,
      ownTools: tools !== undefined,
    },
    budgets,
    callerEnv,
    baseBranch: worktree?.record.base_branch,
    recall: plan.resume?.by === "context" ? recall(earlier, lineage) : undefined,
    retell: () => recall(earlier, lineage),
    earlierBlobs: earlier?.paths.blobs,
    mcpServers: [...mcpServers, ...(what.mcpServers ?? [])],
    tools,
    prices: await loadPrices(root),
    bin: join(packageRoot(), "bin"),
    clock,
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

function earlierRun(home: Home, { previous, fork }: DecidedRequest["lineage"]): FoundRun | undefined {
  const earlier = fork?.run ?? previous;
  return earlier === undefined ? undefined : findRun(home, earlier);
}

/** What was said in the run that this one goes on from; of one that it branches off from, up to that turn. */
function recall(earlier: FoundRun | undefined, { fork }: DecidedRequest["lineage"]): string | undefined {
  if (earlier === undefined) return undefined;
  const transcript = emptyTranscript();
  for (const events of readEvents(earlier.paths.events)) {
    for (const event of events) {
      addEvent(transcript, event);
      if (event.type === "complete" && event.turn === fork?.turn) return retell(transcript.items);
    }
  }
  return retell(transcript.items);
}
