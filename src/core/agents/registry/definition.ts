import { z } from "zod";
import { LaunchConfig } from "../launch/launch-config.ts";

/** How we can speak to an agent. */
const protocolNames = [
  "acp",
  "rest",
  "mcp",
  "codex",
  "codex-exec",
  "claude-code",
  "gemini",
  "opencode",
  "terminal",
] as const;
export type ProtocolName = (typeof protocolNames)[number];

/** One process per turn, and no way to ask: whatever a tool may do is settled by the command line. */
export const neverAsks: ReadonlySet<ProtocolName> = new Set(["codex-exec", "gemini", "opencode"]);

const paths = z.strictObject({
  linux: z.array(z.string()).default([]),
  macos: z.array(z.string()).default([]),
  windows: z.array(z.string()).default([]),
});

/** A switch that a profile can turn on. */
export const PermissionSetting = z
  .strictObject({
    supported: z.boolean().default(true),
    default: z.boolean().default(false),
    label: z.string().default(""),
    description: z.string().default(""),
    apply_method: z.enum(["cli_flag", "env", "acp", "stdio"]).optional(),
    cli_flag: z.string().default(""),
    cli_flag_value: z.string().default(""),
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
    if (setting.apply_method === "cli_flag" && setting.cli_flag.trim() === "") missing("cli_flag");
    if (setting.apply_method === "env" && setting.env === undefined) missing("env");
  });
export type PermissionSetting = z.infer<typeof PermissionSetting>;

const Model = z.strictObject({
  id: z.string().min(1),
  name: z.string().default(""),
  description: z.string().default(""),
  provider: z.string().default(""),
  context_window: z.number().positive().optional(),
  is_default: z.boolean().default(false),
});
export type Model = z.infer<typeof Model>;

const variable = z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of a variable");

/** One entry of agents.json. Strict: a misspelt field would be a setting that silently doesn't hold. */
export const AgentDefinition = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be 1 to 64 of a-z, 0-9, ".", "_", "-"'),
    name: z.string().min(1),
    display_name: z.string().default(""),
    description: z.string().default(""),
    enabled: z.boolean().default(true),
    image: z.string().default(""),
    tag: z.string().default(""),
    cmd: z.array(z.string().min(1)).default([]),
    entrypoint: z.array(z.string()).default([]),
    /** What it must find as its stdout. A file loses nothing when its host is killed; Python's asyncio refuses to write to one. */
    stdout: z.enum(["file", "pipe"]).default("file"),
    working_dir: z.string().default("{workspace}"),
    required_env: z.array(variable).default([]),
    env: z.record(variable, z.string()).default({}),
    mounts: z
      .array(z.strictObject({ source: z.string(), target: z.string(), read_only: z.boolean().default(false) }))
      .default([]),
    resource_limits: z
      .strictObject({
        memory_mb: z.number().positive().default(4096),
        cpu_cores: z.number().positive().default(2),
        timeout_seconds: z.number().positive().default(3600),
      })
      .prefault({}),
    capabilities: z.array(z.string()).default([]),
    protocol: z.enum(protocolNames).default("acp"),
    /** The protocol's own settings; `launch` is ours. */
    protocol_config: z.looseObject({ launch: LaunchConfig.optional() }).default({}),
    model_flag: z
      .string()
      .refine((flag) => flag === "" || flag.includes("{model}"), "must contain {model}")
      .default(""),
    workspace_flag: z.string().default(""),
    session_config: z
      .strictObject({
        native_session_resume: z.boolean().default(false),
        resume_flag: z.string().default(""),
        can_recover: z.boolean().default(true),
        session_dir_template: z.string().default(""),
        session_dir_target: z.string().default(""),
      })
      .prefault({}),
    permission_config: z
      .strictObject({
        permission_flag: z.string().default(""),
        tools_requiring_permission: z.array(z.string()).default([]),
      })
      .prefault({}),
    permission_settings: z.record(z.string(), PermissionSetting).default({}),
    discovery: z
      .strictObject({
        supports_mcp: z.boolean().default(false),
        mcp_config_path: paths.prefault({}),
        installation_path: paths.prefault({}),
        discovery_capabilities: z
          .strictObject({
            supports_session_resume: z.boolean().default(false),
            supports_shell: z.boolean().default(false),
            supports_workspace_only: z.boolean().default(false),
          })
          .prefault({}),
      })
      .prefault({}),
    model_config: z
      .strictObject({
        default_model: z.string().default(""),
        available_models: z.array(Model).default([]),
        dynamic_models_cmd: z.array(z.string()).default([]),
        dynamic_models_timeout_ms: z.number().positive().default(10_000),
      })
      .prefault({}),
    /** What a person types to get it, and to log in. */
    install_command: z.string().default(""),
    login_command: z.string().default(""),
    /** Files whose presence means logged in; `file#key` wants that key in a JSON file. */
    login_paths: z.array(z.string()).default([]),
    /** Variables any of which is a login; the agent may inherit them. */
    login_env: z.array(variable).default([]),
    /** Further keys it may inherit although they belong to a vendor. */
    keep_env: z.array(variable).default([]),
  })
  .superRefine((entry, context) => {
    const problem = (path: (string | number)[], message: string) => context.addIssue({ code: "custom", path, message });
    if (entry.image === "" && entry.cmd.length === 0 && entry.protocol !== "rest") {
      problem(["cmd"], "required: give cmd (a program on this machine) or image (a container)");
    }
    for (const [key, { apply_method, option }] of Object.entries(entry.permission_settings)) {
      if ((apply_method === "acp" || apply_method === "stdio") && option === undefined && key !== "auto_approve") {
        problem(["permission_settings", key, "option"], `required with apply_method ${apply_method}`);
      }
    }
  })
  .transform((entry) => (entry.image !== "" && entry.tag === "" ? { ...entry, tag: "latest" } : entry));
export type AgentDefinition = z.infer<typeof AgentDefinition>;

export const displayName = (definition: AgentDefinition): string => definition.display_name || definition.name;
