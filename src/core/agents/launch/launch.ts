import { AppError } from "../../../contract/errors.ts";
import type { PermissionMode } from "../../../contract/requests/policy.ts";
import { type AgentDefinition, displayName } from "../registry/definition.ts";
import { type ProtocolName, processPerTurn } from "../registry/protocols.ts";
import { type ContainerPlan, type PlannedMount, planContainer, planMounts } from "./container-plan.ts";
import { canBePrivate, homeVariables } from "./homes.ts";
import { noLaunchConfig } from "./launch-config.ts";
import { planResume, type ResumePlan } from "./resume.ts";
import { applySwitches, type SwitchEffects, type Switches } from "./switches.ts";
import { modelArguments, requireModelName, type TurnFlags } from "./turn-words.ts";
import { connect } from "./vendor.ts";

/** What is known when an agent is about to be started. Pure: the same wishes give the same plan. */
export interface LaunchWishes {
  definition: AgentDefinition;
  workspace: string;
  model?: string;
  permissions: PermissionMode;
  /** Where this package and its Node are, for the agent that ships with it. */
  own: { node: string; package: string };
  /** The environment of whoever asks: keys and homes are looked up in it. */
  caller?: Readonly<Record<string, string | undefined>>;
  /** Set for this run alone; counts where a variable is required. */
  runEnv?: Readonly<Record<string, string>>;
  task?: string;
  profile?: ProfileWishes;
  /** Where a private home of this agent lies, for a profile that wants one. */
  privateHome?: string;
  /** The agent has a login of its own. Unknown counts as yes: we interfere only where it certainly has none. */
  loggedIn?: boolean;
  /** It runs where nothing of the person's is within reach: its home there, and the image if it is a container. */
  isolated?: { home: string; image?: string };
  resume?: { sessionId: string; otherAgent?: boolean };
}

/** What a profile adds, its secrets already read. */
export interface ProfileWishes {
  baseUrl?: string;
  token?: string;
  env?: Readonly<Record<string, string>>;
  switches?: Switches;
  home?: "own" | "private";
}

export interface LaunchPlan {
  agent: string;
  displayName: string;
  protocol: ProtocolName;
  /** Program and arguments; empty where there is no process (REST). */
  argv: readonly string[];
  /** What follows argv in every turn, for a program that is started anew for each. */
  turnFlags: TurnFlags | undefined;
  cwd: string;
  /** Its stdout must be a pipe, not a file. */
  pipeOutput: boolean;
  /** Set for the agent, over what it inherits. */
  env: Readonly<Record<string, string>>;
  /** Keys of model vendors that this agent may inherit. */
  keepEnv: readonly string[];
  /** For the record; empty where the agent chooses. */
  modelName: string;
  /** How many tokens each model has room for, and all others, where the definition knows. */
  contextWindows: { models: Readonly<Record<string, number>>; others: number | undefined };
  /** Set in the conversation once it is open, where argv has no place for it. */
  model: string | undefined;
  /** Further options to set then, in this order. */
  options: readonly { id: string; value: string | boolean }[];
  /** A switch says yes to everything the agent asks. */
  approve: boolean;
  config: Readonly<Record<string, unknown>>;
  /** It may be given MCP servers. */
  takesMcp: boolean;
  timeoutMs: number;
  resume: ResumePlan | undefined;
  /** To be made before the start. */
  privateHome: string | undefined;
  /** What it has beside its workspace where it is isolated. */
  mounts: readonly PlannedMount[];
  container: ContainerPlan | undefined;
}

export function planLaunch(wishes: LaunchWishes): LaunchPlan {
  const { definition, profile = {} } = wishes;
  const wantedModel = isSet(wishes.model) ? requireModelName(wishes.model) : undefined;
  const { isolated } = wishes;
  const fill = placeholders(wishes, isolated?.home);
  const switches = applySwitches(definition, profile.switches ?? {}, wishes.permissions);
  const privateHome = profile.home === "private" ? requirePrivateHome(wishes) : undefined;
  const connection = connect({
    definition,
    model: wantedModel,
    baseUrl: profile.baseUrl,
    token: profile.token,
    has: (name) => isSet(profile.env?.[name]) || isSet(wishes.runEnv?.[name]) || isSet(wishes.caller?.[name]),
    loggedIn: wishes.loggedIn ?? true,
  });
  const { model } = connection;
  const turnFlags = processPerTurn.has(definition.protocol) ? flagsOf(definition) : undefined;
  const modelFlag = model === undefined || turnFlags !== undefined ? [] : modelArguments(definition.model_flag, model);
  const resume = wishes.resume && planResume(definition, wishes.resume);
  const env = environment(wishes, { fill, switches, privateHome, model: wantedModel, connection: connection.env });
  requireVariables(wishes, env);
  const config = protocolConfig(wishes);
  return {
    agent: definition.id,
    displayName: displayName(definition),
    protocol: definition.protocol,
    argv: requireProgram(wishes, [
      ...definition.cmd.map(fill),
      ...modelFlag,
      ...connection.args,
      ...workspaceArguments(wishes),
      ...permissionArguments(definition, switches.autoApproved),
      ...switches.args,
      ...(resume?.by === "flag" && turnFlags === undefined ? resume.args : []),
    ]),
    turnFlags,
    cwd: definition.working_dir === "" ? wishes.workspace : fill(definition.working_dir),
    pipeOutput: definition.stdout === "pipe",
    env,
    keepEnv: keptVariables(wishes),
    // As the person calls it, so that a later run can ask for it again.
    modelName: wantedModel ?? "",
    model: modelFlag.length > 0 ? undefined : model,
    contextWindows: contextWindows(definition),
    options: switches.options,
    approve: switches.approve,
    config: definition.protocol === "rest" && profile.baseUrl ? { ...config, base_url: profile.baseUrl } : config,
    takesMcp: definition.discovery.supports_mcp !== false,
    timeoutMs: definition.resource_limits.timeout_seconds * 1000,
    resume,
    privateHome,
    mounts: planMounts(definition, { outside: placeholders(wishes), inside: fill }),
    container: isolated?.image === undefined ? undefined : planContainer(definition, isolated.image),
  };
}

const flagsOf = ({ model_flag, prompt_flag, session_config }: AgentDefinition): TurnFlags => ({
  model: model_flag,
  resume: session_config.resume_flag,
  fork: session_config.fork_flag,
  prompt: prompt_flag,
});

function contextWindows({ model_config }: AgentDefinition): LaunchPlan["contextWindows"] {
  const { available_models, default_context_window } = model_config;
  const known = available_models.flatMap(({ id, context_window: size }) => (size === undefined ? [] : [[id, size]]));
  return { models: Object.fromEntries(known), others: default_context_window };
}

/** Who denies everything keeps whatever fence the agent has of its own. */
function protocolConfig({ definition, isolated, permissions }: LaunchWishes): Record<string, unknown> {
  const { launch = noLaunchConfig, ...config } = definition.protocol_config;
  return isolated === undefined || permissions === "deny" ? config : { ...launch.isolated_config, ...config };
}

function placeholders(
  { workspace, own, caller, task }: LaunchWishes,
  home = caller?.HOME ?? "",
): (text: string) => string {
  const values: Readonly<Record<string, string>> = {
    workspace,
    home,
    node: own.node,
    package: own.package,
    task_id: task ?? "",
  };
  // In one pass, so that a workspace called {home} stays what it is.
  return (text) => text.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
}

const workspaceArguments = ({ definition, workspace }: LaunchWishes) =>
  definition.workspace_flag === "" ? [] : [definition.workspace_flag, workspace];

function permissionArguments({ permission_config }: AgentDefinition, autoApproved: boolean): string[] {
  const { permission_flag, tools_requiring_permission } = permission_config;
  if (permission_flag === "" || autoApproved) return [];
  return tools_requiring_permission.flatMap((tool) => [permission_flag, `${tool}:ask-user`]);
}

interface EnvironmentParts {
  fill: (text: string) => string;
  switches: SwitchEffects;
  privateHome: string | undefined;
  model: string | undefined;
  connection: Readonly<Record<string, string>>;
}

/** Later ones win: the definition, what follows from the wishes, the profile's own variables, its token. */
function environment(wishes: LaunchWishes, parts: EnvironmentParts): Record<string, string> {
  const { definition, profile = {} } = wishes;
  const launch = definition.protocol_config.launch ?? noLaunchConfig;
  const filled = Object.fromEntries(Object.entries(definition.env).map(([name, value]) => [name, parts.fill(value)]));
  return {
    ...filled,
    ...homes(wishes, parts.privateHome),
    ...(parts.switches.autoApproved ? {} : launch.ask_env),
    ...(wishes.isolated ? launch.isolated_env : {}),
    ...(profile.baseUrl === undefined ? {} : { BASE_URL: profile.baseUrl }),
    ...(parts.model === undefined ? {} : { MODEL: parts.model }),
    ...parts.switches.env,
    ...profile.env,
    ...parts.connection,
  };
}

/** Isolated, an agent finds a private home as its only one; what the caller's variables name isn't there. */
function homes({ definition, isolated, caller = {} }: LaunchWishes, privateHome: string | undefined) {
  if (isolated === undefined) {
    return homeVariables(definition, { dir: privateHome, home: caller.HOME ?? "", caller });
  }
  const { home } = isolated;
  return homeVariables(definition, { dir: privateHome === undefined ? undefined : home, home, caller: {} });
}

/** With a token of the profile's the caller's keys stay out: which of two the agent would take is the vendor's secret. */
function keptVariables({ definition, profile }: LaunchWishes): string[] {
  const { login_env, keep_env, required_env, protocol_config } = definition;
  if (profile?.token !== undefined) return keep_env;
  return [...new Set([protocol_config.launch?.token_env ?? [], required_env, login_env, keep_env].flat())];
}

function requireVariables({ definition, caller, runEnv }: LaunchWishes, env: Readonly<Record<string, string>>): void {
  const missing = definition.required_env.filter(
    (name) => !isSet(env[name]) && !isSet(runEnv?.[name]) && !isSet(caller?.[name]),
  );
  if (missing.length === 0) return;
  const names = missing.join(" and ");
  const message = `agent ${definition.id}: ${names} is not set; set it in the environment, or keep it in a profile: cox profile set NAME --agent ${definition.id} --token -`;
  throw new AppError("agent.not_ready", message, { agent: definition.id, missing });
}

function requirePrivateHome({ definition, privateHome, isolated }: LaunchWishes): string {
  if ((isolated !== undefined || canBePrivate(definition)) && privateHome !== undefined) return privateHome;
  const message = `home private: agent ${definition.id} doesn't say where it keeps its things; set protocol_config.launch.home_env in agents.json`;
  throw new AppError("config.invalid", message);
}

/** An image without a command starts its agent by itself. */
function requireProgram({ definition, isolated }: LaunchWishes, argv: readonly string[]): readonly string[] {
  if (definition.cmd.length > 0 || isolated?.image !== undefined) return argv;
  if (definition.protocol === "rest") return [];
  const message = `agent ${definition.id}: has only a container image; add cmd to its entry to run it on this machine`;
  throw new AppError("agent.not_ready", message, { agent: definition.id });
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== "";
