import { AppError } from "../../contract/errors.ts";
import { newTaskName, requireName } from "../../contract/ids.ts";
import { type PermissionMode, requirePermissionMode } from "../../contract/requests/policy.ts";
import type { DecidedRequest, RunRequest } from "../../contract/runs/request.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { inMs } from "../../contract/seconds.ts";
import { wordsOf } from "../../contract/words/content.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { projectOf, requireWorkspace } from "../runner/workspace/workspace.ts";
import { readProgress } from "../store/bus/lifecycle.ts";
import { homeAt } from "../store/home.ts";
import { distrustWorkspace } from "../workspaces/git/writable-places.ts";
import { carriedFrom, type EarlierRun, earlierRun, resumedRun } from "./earlier-run.ts";
import type { Settings } from "./settings.ts";
import { chooseAgent } from "./who/choose-agent.ts";
import { profileFor } from "./who/profile-choice.ts";

export interface Decision {
  request: DecidedRequest;
  /** What a person should know of how it was decided. */
  notices: readonly string[];
}

/**
 * From what is wanted to what will be done: agent, profile, folder, project, task, terms. What the request leaves open comes
 * from the run it goes on with, the profile, the config and the place, in that order. Nothing is made.
 */
export async function decideRequest(
  asked: RunRequest,
  { env, clock }: { env: NodeJS.ProcessEnv; clock: Clock },
  settings: Settings,
): Promise<Decision> {
  const { home } = settings;
  const config = await settings.config();
  const { resume, fork } = asked.lineage;
  const branched = fork && earlierRun(home, fork.run);
  const { who, where, limits, what } = branched === undefined ? asked : asTheEarlierRun(asked, branched.info);
  const resumed = resume && resumedRun(home, resume.run, resume.anew === true);
  const before = resumed?.info;
  const workspace = requireWorkspace(where.workspace ?? before?.cwd ?? noWorkspace());
  distrustWorkspace(workspace);
  const profile = await profileFor(who, before, settings);
  const named = profile?.agent ?? who.agent ?? before?.agent ?? config.agent;
  const chosen = named === undefined ? chooseAgent(settings.registry(), env) : undefined;
  const agent = requireName("agent", (named ?? chosen?.agent ?? "").toLowerCase());
  const otherAgent = before !== undefined && before.agent !== agent;
  const anew = who.profile !== undefined;
  const project = where.project ?? before?.project_id ?? config.project ?? env.JRUN_PROJECT_ID ?? projectOf(workspace);
  const task = where.task ?? before?.task_id ?? newTaskName(what.title ?? wordsOf(what.prompt), clock.now());
  const request: DecidedRequest = {
    who: {
      ...who,
      agent,
      profile: profile?.name ?? "",
      model: who.model ?? (otherAgent || anew ? undefined : before?.model || undefined) ?? profile?.model,
    },
    what,
    where: {
      ...where,
      ...placeBefore(asked, before),
      workspace,
      project: requireName("project", project),
      task: requireName("task", task),
    },
    limits: {
      ...limits,
      permissions:
        limits.permissions ??
        (anew ? undefined : permissionsOf(before)) ??
        profile?.permissions ??
        config.permissions ??
        "ask",
      permissionKinds:
        limits.permissionKinds ?? (limits.permissions === undefined ? profile?.permissionKinds : undefined),
      timeoutMs: limits.timeoutMs ?? inMs(config.timeout),
      idleTimeoutMs: limits.idleTimeoutMs ?? inMs(config.idle_timeout),
    },
    lineage: { ...asked.lineage, previous: before?.run_id ?? asked.lineage.previous },
  };
  if (resumed !== undefined && !resume?.anew) {
    request.lineage.conversation = { sessionId: resumed.info.session_id, otherAgent };
  }
  if (resumed !== undefined && resume?.carry) carryOver(request, resumed, home);
  if (branched !== undefined) branchOff(request, branched, home);
  return { request, notices: chosen === undefined ? [] : [chosen.notice] };
}

/** With everything that the earlier run had but its conversation. */
function asTheEarlierRun(asked: RunRequest, info: RunInfo): RunRequest {
  const isolated = info.on === "local" ? {} : { on: info.on, network: info.network };
  return {
    ...asked,
    who: {
      ...(info.profile === "" ? { agent: info.agent } : { profile: info.profile }),
      model: info.model || undefined,
    },
    where: {
      ...asked.where,
      ...(info.profile === "" ? { on: info.on, ...isolated } : {}),
      workspace: info.cwd,
      project: info.project_id,
      task: info.task_id,
    },
    limits: { ...asked.limits, permissions: permissionsOf(info) },
  };
}

function carryOver(request: DecidedRequest, earlier: EarlierRun, home: string): void {
  const { queued, setOptions } = carriedFrom(earlier);
  request.what = { ...request.what, queued, setOptions, review: request.what.review ?? reviewOf(earlier.info, home) };
}

/** Of a conversation that is under way, or of an earlier turn, the branch is told what was said. */
function branchOff(request: DecidedRequest, earlier: EarlierRun, home: string): void {
  const { info } = earlier;
  const { setOptions, canFork, lastTurn } = carriedFrom(earlier);
  const turn = request.lineage.fork?.turn;
  const isWhole = info.status !== "running" && (turn === undefined || turn === lastTurn);
  request.lineage.conversation = {
    sessionId: info.session_id,
    ...(isWhole && canFork ? { fork: true } : { otherAgent: true }),
  };
  request.what = { ...request.what, setOptions, review: request.what.review ?? reviewOf(info, home) };
}

const reviewOf = ({ project_id, task_id }: RunInfo, home: string): boolean =>
  readProgress(homeAt(home), project_id, task_id).review;

/** A conversation that was fenced in goes on where it was, and nowhere else without being told. */
function placeBefore(
  { who, where: { on, network } }: RunRequest,
  before: RunInfo | undefined,
): Pick<RunRequest["where"], "on" | "network"> {
  const same = before !== undefined && (who.profile === undefined || who.profile === before.profile);
  if (!same || on !== undefined || before.on === "local") return {};
  return { on: before.on, network: network ?? before.network };
}

/** Of a record made before there were any, none. */
const permissionsOf = (info: RunInfo | undefined): PermissionMode | undefined =>
  info === undefined || info.permissions === "" ? undefined : requirePermissionMode(info.permissions);

function noWorkspace(): never {
  throw new AppError("usage.invalid", "workspace: none is named; name the folder to work in");
}
