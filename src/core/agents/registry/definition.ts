import type { z } from "zod";
import { type LaunchConfig, noLaunchConfig } from "../launch/launch-config.ts";
import type { DefinitionEntry } from "./definition-schema.ts";
import { flagsOf } from "./protocols.ts";

/** One entry of agents.json, as it stands there and as its schema lets it pass. */
export type Entry = z.infer<typeof DefinitionEntry>;
/** The same with everything that an entry may leave out. */
export type AgentDefinition = ReturnType<typeof completed>;
export type Model = ReturnType<typeof completedModel>;
/** A switch that a profile can turn on. */
export type PermissionSetting = ReturnType<typeof completedSetting>;

/** Without the schema: the entries that come with us fit it, and loading it costs as much as the rest of a run's preparation. */
export function completed(entry: Entry) {
  const { image = "", tag = "", protocol = "acp", protocol_config, session_config, permission_config } = entry;
  const { resource_limits, permission_settings = {}, discovery, model_config } = entry;
  const flags = flagsOf(protocol);
  return {
    ...entry,
    display_name: entry.display_name ?? "",
    description: entry.description ?? "",
    enabled: entry.enabled ?? true,
    image,
    tag: image !== "" && tag === "" ? "latest" : tag,
    cmd: entry.cmd ?? [],
    entrypoint: entry.entrypoint ?? [],
    stdout: entry.stdout ?? "file",
    working_dir: entry.working_dir ?? "{workspace}",
    required_env: entry.required_env ?? [],
    env: entry.env ?? {},
    mounts: (entry.mounts ?? []).map((mount) => ({ ...mount, read_only: mount.read_only ?? false })),
    resource_limits: { memory_mb: 4096, cpu_cores: 2, timeout_seconds: 3600, ...resource_limits },
    capabilities: entry.capabilities ?? [],
    protocol,
    protocol_config: completedConfig(protocol_config),
    model_flag: entry.model_flag ?? flags.model,
    prompt_flag: entry.prompt_flag ?? "",
    workspace_flag: entry.workspace_flag ?? "",
    session_config: {
      native_session_resume: false,
      resume_flag: flags.resume,
      fork_flag: flags.fork,
      can_recover: true,
      session_dir_template: "",
      session_dir_target: "",
      ...session_config,
    },
    permission_config: { permission_flag: "", tools_requiring_permission: [], ...permission_config },
    permission_settings: Object.fromEntries(
      Object.entries(permission_settings).map(([name, setting]) => [name, completedSetting(setting)]),
    ),
    discovery: {
      ...discovery,
      mcp_config_path: { ...noPaths, ...discovery?.mcp_config_path },
      installation_path: { ...noPaths, ...discovery?.installation_path },
      discovery_capabilities: {
        supports_session_resume: false,
        supports_shell: false,
        supports_workspace_only: false,
        ...discovery?.discovery_capabilities,
      },
    },
    model_config: {
      default_model: "",
      dynamic_models_cmd: [],
      dynamic_models_timeout_ms: 10_000,
      ...model_config,
      available_models: (model_config?.available_models ?? []).map(completedModel),
    },
    install_command: entry.install_command ?? "",
    login_command: entry.login_command ?? "",
    login_paths: entry.login_paths ?? [],
    provider_config: entry.provider_config ?? "",
    login_env: entry.login_env ?? [],
    keep_env: entry.keep_env ?? [],
  };
}

const noPaths: Record<"linux" | "macos" | "windows", string[]> = { linux: [], macos: [], windows: [] };

/** The protocol's own settings; `launch` is ours. */
export interface ProtocolConfig extends Record<string, unknown> {
  launch?: LaunchConfig;
}

function completedConfig({ launch, ...config }: NonNullable<Entry["protocol_config"]> = {}): ProtocolConfig {
  return launch === undefined ? config : { ...config, launch: { ...noLaunchConfig, ...launch } };
}

type ModelEntry = NonNullable<NonNullable<Entry["model_config"]>["available_models"]>[number];

const completedModel = (model: ModelEntry) => ({
  name: "",
  description: "",
  provider: "",
  is_default: false,
  ...model,
});

const completedSetting = ({ apply_method, ...setting }: NonNullable<Entry["permission_settings"]>[string]) => ({
  supported: true,
  default: false,
  label: "",
  description: "",
  cli_flag: "",
  cli_flag_value: "",
  ...setting,
  apply_method: apply_method || undefined, // empty as if it weren't there, as in Kandev's files
});

export const displayName = (definition: AgentDefinition): string => definition.display_name || definition.name;
