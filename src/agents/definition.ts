import { z } from "zod";

/** How we can speak to an agent. */
export const protocolNames = [
  "acp",
  "rest",
  "mcp",
  "codex",
  "codex-exec",
  "claude-code",
  "gemini",
  "opencode",
] as const;
export type ProtocolName = (typeof protocolNames)[number];

const paths = z.object({
  linux: z.array(z.string()).default([]),
  macos: z.array(z.string()).default([]),
  windows: z.array(z.string()).default([]),
});

export const PermissionSetting = z.object({
  supported: z.boolean().default(true),
  default: z.boolean().default(false),
  label: z.string().default(""),
  description: z.string().default(""),
  apply_method: z.enum(["cli_flag", "env", "acp", "stdio"]).optional(),
  cli_flag: z.string().optional(),
  cli_flag_value: z.string().optional(),
  /** With `env`: NAME=VALUE; with `acp` and `stdio`: OPTION=VALUE set in the session. */
  env: z.string().optional(),
  option: z.string().optional(),
});

const Model = z.object({
  id: z.string(),
  name: z.string().default(""),
  description: z.string().default(""),
  provider: z.string().default(""),
  context_window: z.number().positive().optional(),
  is_default: z.boolean().default(false),
});

/** One entry of agents.json. */
export const AgentDefinition = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
  name: z.string(),
  display_name: z.string().default(""),
  description: z.string().default(""),
  enabled: z.boolean().default(true),
  image: z.string().default(""),
  tag: z.string().default(""),
  cmd: z.array(z.string()).default([]),
  entrypoint: z.array(z.string()).default([]),
  working_dir: z.string().default("{workspace}"),
  required_env: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  mounts: z
    .array(z.object({ source: z.string(), target: z.string(), read_only: z.boolean().default(false) }))
    .default([]),
  resource_limits: z
    .object({
      memory_mb: z.number().positive().default(4096),
      cpu_cores: z.number().positive().default(2),
      timeout_seconds: z.number().positive().default(3600),
    })
    .default({ memory_mb: 4096, cpu_cores: 2, timeout_seconds: 3600 }),
  capabilities: z.array(z.string()).default([]),
  protocol: z.enum(protocolNames).default("acp"),
  protocol_config: z.record(z.string(), z.unknown()).default({}),
  model_flag: z
    .string()
    .refine((flag) => flag === "" || flag.includes("{model}"), "must contain {model}")
    .default(""),
  workspace_flag: z.string().default(""),
  session_config: z
    .object({
      native_session_resume: z.boolean().default(false),
      resume_flag: z.string().default(""),
      can_recover: z.boolean().default(true),
      session_dir_template: z.string().default(""),
      session_dir_target: z.string().default(""),
    })
    .prefault({}),
  permission_config: z
    .object({ permission_flag: z.string().default(""), tools_requiring_permission: z.array(z.string()).default([]) })
    .prefault({}),
  permission_settings: z.record(z.string(), PermissionSetting).default({}),
  discovery: z
    .object({
      supports_mcp: z.boolean().default(false),
      mcp_config_path: paths.prefault({}),
      installation_path: paths.prefault({}),
      discovery_capabilities: z
        .object({
          supports_session_resume: z.boolean().default(false),
          supports_shell: z.boolean().default(false),
          supports_workspace_only: z.boolean().default(false),
        })
        .prefault({}),
    })
    .prefault({}),
  model_config: z
    .object({
      default_model: z.string().default(""),
      available_models: z.array(Model).default([]),
      dynamic_models_cmd: z.array(z.string()).default([]),
    })
    .prefault({}),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;
