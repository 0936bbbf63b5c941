import type { PermissionMode } from "../contract/policy.ts";
import type { AgentDefinition, ProtocolName } from "./definition.ts";

/** What is known when an agent is about to be started. Pure: the same wishes give the same plan. */
export interface LaunchWishes {
  definition: AgentDefinition;
  workspace: string;
  model?: string;
  permissions: PermissionMode;
  /** Where this package and its Node are, for the agent that ships with it. */
  own: { node: string; package: string };
}

export interface LaunchPlan {
  agent: string;
  displayName: string;
  protocol: ProtocolName;
  /** Program and arguments; empty where there is no process (REST). */
  argv: readonly string[];
  cwd: string;
  /** Set for the agent, over what it inherits. */
  env: Readonly<Record<string, string>>;
  /** Keys of model vendors that this agent may inherit. */
  keepEnv: readonly string[];
  /** For the record; empty where the agent chooses. */
  modelName: string;
  /** Set in the conversation once it is open, where argv has no place for it. */
  model: string | undefined;
  config: Readonly<Record<string, unknown>>;
  timeoutMs: number;
  native: { resume: boolean; flag: string; canRecover: boolean };
}

export function planLaunch(wishes: LaunchWishes): LaunchPlan {
  const { definition, workspace, own } = wishes;
  const fill = (text: string) =>
    text.replaceAll("{workspace}", workspace).replaceAll("{node}", own.node).replaceAll("{package}", own.package);
  const modelFlag = wishes.model === undefined ? [] : modelArguments(definition.model_flag, wishes.model);
  const workspaceFlag = definition.workspace_flag === "" ? [] : [definition.workspace_flag, workspace];
  const { session_config: session } = definition;
  return {
    agent: definition.id,
    displayName: definition.display_name || definition.name,
    protocol: definition.protocol,
    argv: [...definition.cmd.map(fill), ...modelFlag, ...workspaceFlag],
    cwd: definition.working_dir === "" ? workspace : fill(definition.working_dir),
    env: definition.env,
    keepEnv: definition.required_env,
    modelName: wishes.model ?? "",
    model: modelFlag.length > 0 ? undefined : wishes.model,
    config: definition.protocol_config,
    timeoutMs: definition.resource_limits.timeout_seconds * 1000,
    native: { resume: session.native_session_resume, flag: session.resume_flag, canRecover: session.can_recover },
  };
}

/** `--model {model}` gives two words, `-c model="{model}"` gives `-c` and `model="M"`: split at the first space only. */
export function modelArguments(flag: string, model: string): string[] {
  if (flag === "") return [];
  const space = flag.indexOf(" ");
  const words = space === -1 ? [flag] : [flag.slice(0, space), flag.slice(space + 1)];
  return words.map((word) => word.replaceAll("{model}", model));
}
