import { homedir } from "node:os";
import { join } from "node:path";
import type { AgentDefinition } from "../agents/definition.ts";
import { type Discovered, discover } from "../agents/discovery.ts";
import { homeVariables } from "../agents/homes.ts";
import { type LaunchPlan, planLaunch } from "../agents/launch.ts";
import { lookForLogin } from "../agents/login.ts";
import { defaultModel } from "../agents/models.ts";
import type { Profile } from "../agents/profile.ts";
import { readProfile } from "../agents/profile-files.ts";
import { openProfile } from "../agents/secrets.ts";
import { packageRoot } from "../base/package-root.ts";
import { AppError } from "../contract/errors.ts";
import type { RunSpec } from "../runner/run.ts";
import type { RunRequest } from "./run-request.ts";

type Wishes = Pick<
  RunRequest,
  "home" | "agent" | "profile" | "model" | "workspace" | "permissions" | "env" | "task" | "resume"
>;

export interface PlannedRun {
  plan: LaunchPlan;
  found: Discovered;
  mcpServers: RunSpec["mcpServers"];
}

/** How the agent will be started: the same for a run and for those who only want to see it. */
export function planRun(
  wishes: Wishes,
  definition: AgentDefinition,
  profile: Profile | undefined,
  callerEnv: NodeJS.ProcessEnv,
): PlannedRun {
  const caller = { ...callerEnv, HOME: callerEnv.HOME ?? homedir() };
  const own = { node: process.execPath, package: packageRoot() };
  const opened = profile === undefined ? undefined : openProfile(wishes.profile, profile, caller);
  const privateHome = join(wishes.home, "homes", definition.id);
  const dir = profile?.home === "private" ? privateHome : undefined;
  // The login that counts is the one in the home the agent will use.
  const env = { ...caller, ...homeVariables(definition, { dir, home: caller.HOME, caller }) };
  const login = lookForLogin(definition, env).state;
  const plan = planLaunch({
    definition,
    workspace: wishes.workspace,
    model: wishes.model ?? profile?.model ?? defaultModel(definition),
    permissions: wishes.permissions,
    own,
    caller,
    runEnv: wishes.env,
    task: wishes.task,
    profile: opened?.wishes,
    privateHome,
    loggedIn: login === "account" || login === "unknown",
    resume: wishes.resume,
  });
  const found = discover(definition, { env, platform: process.platform, provided: provided(plan, wishes), own });
  return { plan: withProgram(plan, found.program), found, mcpServers: opened?.mcpServers ?? [] };
}

const provided = ({ env }: LaunchPlan, wishes: Wishes) => new Set([...Object.keys(env), ...Object.keys(wishes.env)]);

/** An installer may have put it where the PATH doesn't lead. */
function withProgram(plan: LaunchPlan, program: string | undefined): LaunchPlan {
  return program === undefined || plan.argv.length === 0 ? plan : { ...plan, argv: [program, ...plan.argv.slice(1)] };
}

export async function requireProfile({
  home,
  profile: name,
  agent,
}: Pick<RunRequest, "home" | "profile" | "agent">): Promise<Profile> {
  const profile = await readProfile(home, name);
  if (profile.agent.toLowerCase() !== agent) {
    throw new AppError("usage.invalid", `profile ${name}: is for agent ${profile.agent}, not for ${agent}`);
  }
  if (profile.on !== undefined && profile.on !== "local") {
    const message = `profile ${name}: on ${profile.on}: so far agents are started on this machine only; set it to local`;
    throw new AppError("config.invalid", message);
  }
  return profile;
}
