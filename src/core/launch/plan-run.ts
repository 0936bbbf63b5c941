import { homedir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { DecidedRequest } from "../../contract/runs/request.ts";
import { type Discovered, discover } from "../agents/discovery/discovery.ts";
import { findLogin } from "../agents/discovery/login.ts";
import { defaultModel } from "../agents/discovery/models.ts";
import { homeVariables } from "../agents/launch/homes.ts";
import { type LaunchPlan, planLaunch } from "../agents/launch/launch.ts";
import type { Profile } from "../agents/profiles/profile.ts";
import { openProfile } from "../agents/profiles/secrets.ts";
import type { AgentDefinition } from "../agents/registry/definition.ts";
import type { RunSpec } from "../runner/run.ts";
import type { Settings } from "./settings.ts";
import { choosePlace, type Place } from "./where/place.ts";

/** What of a request says how its agent is started. */
export interface PlanWishes {
  home: string;
  who: Pick<DecidedRequest["who"], "profile" | "model">;
  where: Pick<DecidedRequest["where"], "workspace" | "task" | "env" | "on" | "network">;
  permissions: DecidedRequest["limits"]["permissions"];
  conversation?: DecidedRequest["lineage"]["conversation"];
}

export interface PlannedRun {
  plan: LaunchPlan;
  found: Discovered;
  place: Place;
  mcpServers: RunSpec["mcpServers"];
}

/** How the agent will be started: the same for a run and for those who only want to see it. */
export function planRun(
  { home: coxHome, who, where, permissions, conversation }: PlanWishes,
  definition: AgentDefinition,
  profile: Profile | undefined,
  callerEnv: NodeJS.ProcessEnv,
): PlannedRun {
  const caller = { ...callerEnv, HOME: callerEnv.HOME ?? homedir() };
  const place = choosePlace(where, definition, profile, caller.HOME);
  const { own, isolated } = place;
  const opened = profile === undefined ? undefined : openProfile(who.profile, profile, caller);
  const privateHome = join(coxHome, "homes", definition.id);
  const dir = profile?.home === "private" ? privateHome : undefined;
  // The login that counts is the one in the home the agent will use.
  const home = isolated === undefined ? caller.HOME : (dir ?? "");
  const env = { ...caller, HOME: home, ...homeVariables(definition, { dir, home, caller: isolated ? {} : caller }) };
  const login = findLogin(definition, env).state;
  const plan = planLaunch({
    definition,
    workspace: where.workspace,
    model: who.model ?? profile?.model ?? defaultModel(definition),
    permissions,
    own,
    caller,
    runEnv: where.env ?? {},
    task: where.task,
    profile: opened?.wishes,
    privateHome,
    loggedIn: login === "account" || login === "unknown",
    isolated,
    resume: conversation,
  });
  const given = new Set([...Object.keys(plan.env), ...Object.keys(where.env ?? {})]);
  // Its program is the person's own, wherever its home is.
  const outside = isolated === undefined ? env : caller;
  const found = discover(definition, { env: outside, platform: process.platform, provided: given, own });
  if (place.on === "sandbox" && found.login.state === "account" && findLogin(definition, env, given).state === "none") {
    throw loginStaysOutside(definition);
  }
  const planned = plan.container === undefined ? withProgram(plan, found.program) : plan;
  return { plan: planned, found, place, mcpServers: opened?.mcpServers ?? [] };
}

/** Handing it in would let the agent keep it, or renew it there and so end it here. */
function loginStaysOutside({ id }: AgentDefinition): AppError {
  const message = `agent ${id}: you are logged in, but in a sandbox it has a home of its own; give it a key or token: cox profile set NAME --agent ${id} --on sandbox --token -`;
  return new AppError("agent.not_ready", message, { agent: id });
}

/** An installer may have put it where the PATH doesn't lead. */
function withProgram(plan: LaunchPlan, program: string | undefined): LaunchPlan {
  return program === undefined || plan.argv.length === 0 ? plan : { ...plan, argv: [program, ...plan.argv.slice(1)] };
}

export async function requireProfile(
  settings: Settings,
  { profile: name, agent }: Pick<DecidedRequest["who"], "profile" | "agent">,
): Promise<Profile> {
  const profile = await settings.profile(name);
  if (profile.agent.toLowerCase() !== agent) {
    throw new AppError("usage.invalid", `profile ${name}: is for agent ${profile.agent}, not for ${agent}`);
  }
  return profile;
}
