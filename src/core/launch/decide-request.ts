import { AppError } from "../../contract/errors.ts";
import { newTaskName, requireName } from "../../contract/ids.ts";
import { type PermissionMode, requirePermissionMode } from "../../contract/requests/policy.ts";
import type { DecidedRequest, RunRequest } from "../../contract/runs/request.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { inMs } from "../../contract/seconds.ts";
import { onTermsOf } from "../../contract/tasks/task-terms.ts";
import { wordsOf } from "../../contract/words/content.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Config } from "../config/config-keys.ts";
import { projectOf, requireWorkspace } from "../runner/workspace/workspace.ts";
import { readProgress } from "../store/bus/lifecycle.ts";
import { requireTaskName } from "../store/find-task.ts";
import { homeAt } from "../store/home.ts";
import { readTaskFile } from "../store/task-file.ts";
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
 * from its task, the run it goes on with, the profile, the config and the place, in that order. Nothing is made.
 */
export async function decideRequest(
  wanted: RunRequest,
  { env, clock }: { env: NodeJS.ProcessEnv; clock: Clock },
  settings: Settings,
): Promise<Decision> {
  const { home } = settings;
  const config = await settings.config();
  const asked = await onTermsOfTask(
    wanted,
    (workspace) => config.project ?? env.JRUN_PROJECT_ID ?? projectOf(workspace),
    home,
  );
  const { resume, fork } = asked.lineage;
  const branched = fork && earlierRun(home, fork.run);
  const { who, where, limits, what } = branched === undefined ? asked : asTheEarlierRun(asked, branched.info);
  const resumed = resume && resumedRun(home, resume.run, resume.anew === true);
  const before = resumed?.info;
  const workspace = requireWorkspace(where.workspace ?? before?.cwd ?? noWorkspace());
  distrustWorkspace(workspace);
  const isNamed = [who.agent, who.profile, before?.agent, config.agent].some((name) => name !== undefined);
  const chosen = isNamed ? undefined : await chooseAgent(await settings.registry(), home, env);
  const profile = await profileFor({ ...who, profile: who.profile ?? chosen?.profile }, before, settings);
  const named = profile?.agent ?? who.agent ?? before?.agent ?? config.agent ?? chosen?.agent ?? "";
  const agent = requireName("agent", named.toLowerCase());
  const otherAgent = before !== undefined && before.agent !== agent;
  const anew = who.profile !== undefined;
  const project = where.project ?? before?.project_id ?? config.project ?? env.JRUN_PROJECT_ID ?? projectOf(workspace);
  const task = where.task ?? before?.task_id;
  const request: DecidedRequest = {
    who: {
      ...who,
      agent,
      profile: profile?.name ?? "",
      model: who.model ?? (otherAgent || anew ? undefined : before?.model || undefined) ?? profile?.model,
    },
    what: { ...what, review: what.review ?? (where.worktree === undefined ? undefined : "changes") },
    where: {
      ...where,
      ...placeBefore(asked, before),
      workspace,
      project: requireName("project", project),
      task:
        task === undefined
          ? newTaskName(what.title ?? wordsOf(what.prompt), clock.now())
          : requireTaskName(homeAt(home), { project, task }),
      newTask: task === undefined,
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
      ...timesOf(limits, config),
    },
    lineage: {
      ...asked.lineage,
      ...byId(asked, before, branched?.info),
      previous: before?.run_id ?? asked.lineage.previous,
    },
  };
  if (resumed !== undefined && !resume?.anew) {
    request.lineage.conversation = { sessionId: resumed.info.session_id, otherAgent };
  }
  if (resumed !== undefined && resume?.carry) carryOver(request, resumed, home);
  if (branched !== undefined) branchOff(request, branched, home);
  return { request, notices: chosen === undefined ? [] : [chosen.notice] };
}

/** A person may have said `latest`: soon that is another one. */
function byId(
  { lineage: { resume, fork } }: RunRequest,
  resumed: RunInfo | undefined,
  branched: RunInfo | undefined,
): Pick<RunRequest["lineage"], "resume" | "fork"> {
  return {
    resume: resume && { ...resume, run: resumed?.run_id ?? resume.run },
    fork: fork && { ...fork, run: branched?.run_id ?? fork.run },
  };
}

/** Each with where it is from: who reaches one is told what to change. */
function timesOf(limits: RunRequest["limits"], { timeout, idle_timeout }: Config): Partial<RunRequest["limits"]> {
  const total = limits.timeoutMs === undefined && timeout !== undefined;
  const idle = limits.idleTimeoutMs === undefined && idle_timeout !== undefined;
  return {
    ...(total ? { timeoutMs: inMs(timeout), timeoutFrom: "timeout in config.yaml" } : {}),
    ...(idle ? { idleTimeoutMs: inMs(idle_timeout), idleTimeoutFrom: "idle_timeout in config.yaml" } : {}),
  };
}

/** What a task says of its runs holds for each, but one that goes on with another or branches off from it. */
async function onTermsOfTask(
  wanted: RunRequest,
  projectOf: (workspace: string) => string,
  home: string,
): Promise<RunRequest> {
  const { workspace, task, project = workspace && projectOf(requireWorkspace(workspace)) } = wanted.where;
  const { resume, fork } = wanted.lineage;
  if (task === undefined || project === undefined || resume !== undefined || fork !== undefined) return wanted;
  const ref = { project: requireName("project", project), task: requireName("task", task) };
  const file = await readTaskFile(homeAt(home), ref);
  return file === undefined ? wanted : onTermsOf(file, wanted);
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
