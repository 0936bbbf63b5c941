import { z } from "zod";
import { completed } from "./definition.ts";
import { processPerTurn, protocolNames } from "./protocols.ts";

const variable = z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of a variable");

/**
 * `protocol_config.launch`: how this agent's program wants to be told what every profile can say. It is data, so that an
 * agent we never heard of can be described in agents.json as well.
 */
export const LaunchConfig = z.strictObject({
  /** Where a profile's token goes. */
  token_env: z.string().optional(),
  /** … unless it begins so: the vendor has several kinds of token. */
  token_prefix_env: z.record(z.string(), z.string()).optional(),
  /** Each gets the profile's base_url. */
  base_url_env: z.array(z.string()).optional(),
  /** A base_url needs a whole provider to be described, in the way of this agent. */
  provider: z.enum(["codex", "codex-acp", "opencode"]).optional(),
  /** Folders of a private home: `{dir}` is the home. Their names are passed on as the caller has them otherwise. */
  home_env: z.record(variable, z.string()).optional(),
  /** Set where the caller has no such variable, because the agent would take it from a repository's `.env`. */
  own_home_env: z.record(variable, z.string()).optional(),
  /** Makes the agent ask; not set when everything is approved anyway. */
  ask_env: z.record(variable, z.string()).optional(),
  /** Only where nothing of the person's is within reach. */
  isolated_env: z.record(variable, z.string()).optional(),
  /** Settings of the protocol, there: a fence of the agent's own inside ours is of no use, and often can't be built. */
  isolated_config: z.record(z.string(), z.unknown()).optional(),
});

const paths = z.strictObject({
  linux: z.array(z.string()).optional(),
  macos: z.array(z.string()).optional(),
  windows: z.array(z.string()).optional(),
});

/** A switch that a profile can turn on. */
const PermissionSetting = z
  .strictObject({
    supported: z.boolean().optional(),
    default: z.boolean().optional(),
    label: z.string().optional(),
    description: z.string().optional(),
    /** Empty as if it weren't there, as in Kandev's files. */
    apply_method: z.enum(["", "cli_flag", "env", "acp", "stdio"]).optional(),
    cli_flag: z.string().optional(),
    cli_flag_value: z.string().optional(),
    /** With apply_method env: `NAME=VALUE`. */
    env: z
      .string()
      .regex(/^[A-Za-z_]\w*=/, "must be NAME=VALUE")
      .optional(),
    /**
     * With apply_method acp and stdio: `OPTION=VALUE`, set in the session once it is open; `OPTION` alone is set to true.
     * Without it, `auto_approve` means that we say yes to whatever the agent asks.
     */
    option: z.string().min(1).optional(),
  })
  .superRefine((setting, context) => {
    const missing = (field: string) =>
      context.addIssue({
        code: "custom",
        path: [field],
        message: `required with apply_method ${setting.apply_method}`,
      });
    if (setting.apply_method === "cli_flag" && !setting.cli_flag?.trim()) missing("cli_flag");
    if (setting.apply_method === "env" && setting.env === undefined) missing("env");
  });

const Model = z.strictObject({
  id: z.string().min(1),
  name: z.string().optional(),
  description: z.string().optional(),
  provider: z.string().optional(),
  context_window: z.number().positive().optional(),
  is_default: z.boolean().optional(),
});

/** One entry of agents.json. Strict: a misspelt field would be a setting that silently doesn't hold. */
export const DefinitionEntry = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be 1 to 64 of a-z, 0-9, ".", "_", "-"'),
  name: z.string().min(1),
  display_name: z.string().optional(),
  description: z.string().optional(),
  enabled: z.boolean().optional(),
  image: z.string().optional(),
  tag: z.string().optional(),
  cmd: z.array(z.string().min(1)).optional(),
  entrypoint: z.array(z.string()).optional(),
  /** What it must find as its stdout. A file loses nothing when its host is killed; Python's asyncio refuses to write to one. */
  stdout: z.enum(["file", "pipe"]).optional(),
  working_dir: z.string().optional(),
  required_env: z.array(variable).optional(),
  env: z.record(variable, z.string()).optional(),
  mounts: z
    .array(z.strictObject({ source: z.string(), target: z.string(), read_only: z.boolean().optional() }))
    .optional(),
  resource_limits: z
    .strictObject({
      memory_mb: z.number().positive().optional(),
      cpu_cores: z.number().positive().optional(),
      timeout_seconds: z.number().positive().optional(),
    })
    .optional(),
  capabilities: z.array(z.string()).optional(),
  protocol: z.enum(protocolNames).optional(),
  /** The protocol's own settings; `launch` is ours. */
  protocol_config: z.looseObject({ launch: LaunchConfig.optional() }).optional(),
  model_flag: z
    .string()
    .refine((flag) => flag === "" || flag.includes("{model}"), "must contain {model}")
    .optional(),
  /** With a process per turn: the prompt is an argument. Without it, it goes to stdin. */
  prompt_flag: z
    .string()
    .refine((flag) => flag === "" || flag.includes("{prompt}"), "must contain {prompt}")
    .optional(),
  workspace_flag: z.string().optional(),
  session_config: z
    .strictObject({
      native_session_resume: z.boolean().optional(),
      resume_flag: z.string().optional(),
      /** As resume_flag, for going on with a copy of the conversation. */
      fork_flag: z.string().optional(),
      can_recover: z.boolean().optional(),
      session_dir_template: z.string().optional(),
      session_dir_target: z.string().optional(),
    })
    .optional(),
  permission_config: z
    .strictObject({
      permission_flag: z.string().optional(),
      tools_requiring_permission: z.array(z.string()).optional(),
    })
    .optional(),
  permission_settings: z.record(z.string(), PermissionSetting).optional(),
  discovery: z
    .strictObject({
      /** `false`: it gets no MCP servers, the run's own tools neither. Not said: as its protocol can. */
      supports_mcp: z.boolean().optional(),
      mcp_config_path: paths.optional(),
      installation_path: paths.optional(),
      /** For people, as `capabilities`. */
      discovery_capabilities: z
        .strictObject({
          supports_session_resume: z.boolean().optional(),
          supports_shell: z.boolean().optional(),
          supports_workspace_only: z.boolean().optional(),
        })
        .optional(),
    })
    .optional(),
  model_config: z
    .strictObject({
      default_model: z.string().optional(),
      available_models: z.array(Model).optional(),
      dynamic_models_cmd: z.array(z.string()).optional(),
      dynamic_models_timeout_ms: z.number().positive().optional(),
      /** Of models that aren't in the list. */
      default_context_window: z.number().positive().optional(),
      /** Kandev's, as is passthrough_config: a definition from there can be used as it is. */
      context_window_dynamic: z.boolean().optional(),
    })
    .optional(),
  /** Of a way to show an agent that is Kandev's alone. */
  passthrough_config: z.record(z.string(), z.unknown()).optional(),
  /** What a person types to get it, and to log in. */
  install_command: z.string().optional(),
  login_command: z.string().optional(),
  /** Files whose presence means logged in; `file#key` wants that key in a JSON file. */
  login_paths: z.array(z.string()).optional(),
  /** A config.toml in which another provider may be chosen: then the variable that it names as env_key is the login. */
  provider_config: z.string().optional(),
  /** Variables any of which is a login; the agent may inherit them. */
  login_env: z.array(variable).optional(),
  /** Further keys it may inherit although they belong to a vendor. */
  keep_env: z.array(variable).optional(),
});

/** What is left out is completed, and what only the whole can show is looked at then. */
export const AgentDefinition = DefinitionEntry.transform(completed).superRefine((entry, context) => {
  const problem = (path: (string | number)[], message: string) => context.addIssue({ code: "custom", path, message });
  if (entry.image === "" && entry.cmd.length === 0 && entry.protocol !== "rest") {
    problem(["cmd"], "required: give cmd (a program on this machine) or image (a container)");
  }
  const { native_session_resume, resume_flag, fork_flag } = entry.session_config;
  if (native_session_resume && resume_flag === "" && processPerTurn.has(entry.protocol)) {
    problem(
      ["session_config", "resume_flag"],
      `required with native_session_resume: ${entry.protocol} has no other way`,
    );
  }
  if (entry.protocol === "opencode" && entry.cmd.includes("serve")) {
    problem(["cmd"], "`serve` is a server, which we don't speak to; use `opencode acp` with the protocol acp");
  }
  if (entry.prompt_flag !== "" && !processPerTurn.has(entry.protocol)) {
    problem(["prompt_flag"], `only with a protocol that is a process per turn: ${[...processPerTurn].join(", ")}`);
  }
  if (entry.protocol === "text" && (resume_flag !== "" || fork_flag !== "")) {
    problem(["session_config"], "a program that speaks text names no conversation; it is told what was said before");
  }
  for (const [key, { apply_method, option }] of Object.entries(entry.permission_settings)) {
    if ((apply_method === "acp" || apply_method === "stdio") && option === undefined && key !== "auto_approve") {
      problem(["permission_settings", key, "option"], `required with apply_method ${apply_method}`);
    }
  }
});
