import { isAbsolute } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { type InspectedAgent, inspectAgents, probeEnvironment } from "../../../core/agents/discovery/inspect-agents.ts";
import { listModels, type ModelList } from "../../../core/agents/discovery/models.ts";
import { nativeBinary } from "../../../core/agents/discovery/native-binary.ts";
import type { LaunchPlan } from "../../../core/agents/launch/launch.ts";
import { turnWords } from "../../../core/agents/launch/turn-words.ts";
import { type AgentDefinition, displayName, type PermissionSetting } from "../../../core/agents/registry/definition.ts";
import { processPerTurn, takesServers, takesTools } from "../../../core/agents/registry/protocols.ts";
import { loadRegistry, type Registry } from "../../../core/agents/registry/registry.ts";
import { planRun, requireProfile } from "../../../core/launch/plan-run.ts";
import { Settings } from "../../../core/launch/settings.ts";
import { homePath } from "../../../core/store/home.ts";
import type { Context } from "../../../lib/command/command.ts";
import { renderTable } from "../../../lib/command/table.ts";
import { oneLine } from "../../../lib/text/printable.ts";
import { shellWords } from "../../../lib/text/shell-words.ts";
import { asJson, stateOf, tellProblems } from "./list.ts";

export interface ShowWishes {
  json?: boolean;
  profile?: string;
  model?: string;
}

/** `cox agent show NAME`: what a person needs to know when an agent isn't offered, doesn't start, or asks too little. */
export async function showAgent(name: string, wishes: ShowWishes, context: Context): Promise<number> {
  const home = homePath(context.env);
  const registry = await loadRegistry(home);
  const definition = registry.find(name);
  const [looked] = await inspectAgents([definition], home, context.env);
  if (looked === undefined) throw new AppError("internal", `agent ${name}: was not looked at`);
  const start = await startOf(definition, wishes, home, context);
  const models = await listModels(definition, probeEnvironment(definition, context.env));
  if (wishes.json) {
    const plan = start.plan === undefined ? null : withoutValues(start.plan);
    const data = {
      ...asJson(looked),
      origin: registry.originOf(definition.id),
      definition: withoutValues(definition),
      plan,
      refused: start.refused,
      models,
    };
    context.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
    return 0;
  }
  const rows = rowsOf(looked, registry, start, models);
  context.stdout.write(renderTable(rows.map((row) => row.map(oneLine))));
  tellProblems(registry.problems, context);
  return 0;
}

interface Start {
  plan: LaunchPlan | undefined;
  /** Why it can't be started as things are. */
  refused: string | null;
}

async function startOf(
  definition: AgentDefinition,
  wishes: ShowWishes,
  home: string,
  context: Context,
): Promise<Start> {
  const { profile: name = "", model } = wishes;
  const who = { agent: definition.id, profile: name, model };
  const where = { workspace: context.cwd, task: "" };
  try {
    const profile = name === "" ? undefined : await requireProfile(new Settings(home), who);
    const { plan } = planRun({ home, who, where, permissions: "ask" }, definition, profile, context.env);
    return { plan, refused: null };
  } catch (error) {
    if (error instanceof AppError) return { plan: undefined, refused: error.message };
    throw error;
  }
}

/** Names are enough to see what is set; the values may be anybody's keys. */
const withoutValues = <T extends { env: Readonly<Record<string, string>> }>(thing: T) => ({
  ...thing,
  env: Object.keys(thing.env).sort(),
});

function rowsOf(looked: InspectedAgent, registry: Registry, start: Start, models: ModelList): string[][] {
  const { definition, found, version, profiles } = looked;
  const { plan } = start;
  const rows: string[][] = [
    [
      "agent",
      `${definition.id} (${displayName(definition)})${definition.description && `: ${definition.description}`}`,
    ],
    ["defined", origins[registry.originOf(definition.id)]],
    ["enabled", definition.enabled ? "yes" : 'no; set "enabled": true in agents.json'],
    ["state", stateOf(found.state, version) + (found.remedy === "" ? "" : `; ${found.remedy}`)],
    [
      "program",
      found.program ??
        (definition.cmd.length === 0
          ? "none: it is asked over the network"
          : `${definition.cmd[0]}: not found on PATH`),
    ],
    ...found.paths.map(({ path, exists }) => ["looked at", `${path} ${exists ? "(there)" : "(not there)"}`]),
    ["login", loginText(found.login)],
    ["protocol", definition.protocol],
  ];
  if (start.refused !== null) rows.push(["start", `refused: ${start.refused}`]);
  if (plan !== undefined) rows.push(...planRows(plan));
  rows.push(...abilityRows(definition, found));
  rows.push(...permissionRows(definition), ["resume", resumeText(definition)], ...limitRows(definition));
  rows.push(["default model", found.profile.model || "none: the agent chooses"]);
  rows.push(["models", modelsText(models)]);
  if (profiles.length > 0) rows.push(["profiles", profiles.join(", ")]);
  return rows;
}

const origins = {
  "built-in": "built in",
  changed: "built in, changed by agents.json",
  own: "in agents.json",
} as const;

function planRows(plan: LaunchPlan): string[][] {
  const rows = [["folder", plan.cwd]];
  const [program, ...args] = plan.argv;
  const first = plan.turnFlags && plan.model !== undefined ? turnWords(plan.turnFlags).model?.(plan.model) : undefined;
  if (program !== undefined) rows.unshift(["command", shellWords([startedFile(program), ...args, ...(first ?? [])])]);
  if (plan.model !== undefined && plan.turnFlags === undefined) rows.push(["in the session", `model ${plan.model}`]);
  for (const { id, value } of plan.options) rows.push(["in the session", `option ${id} = ${String(value)}`]);
  rows.push(["sets", Object.keys(plan.env).sort().join(", ") || "no variables"]);
  rows.push(["may inherit", plan.keepEnv.join(", ") || "no keys"]);
  if (plan.container !== undefined) rows.push(["container", plan.container.image]);
  return rows;
}

/** Behind an npm wrapper, what is really started. */
const startedFile = (program: string) => (isAbsolute(program) ? nativeBinary(program) : program);

export function loginText({ state, by }: InspectedAgent["found"]["login"]): string {
  switch (state) {
    case "account":
      return `by ${by}`;
    case "key":
      return `by the variable ${by}`;
    case "none":
      return by === "" ? "none found" : `${by} is not set`;
    case "unknown":
      return "can't be told from outside";
  }
}

function abilityRows(definition: AgentDefinition, { mcpPaths }: InspectedAgent["found"]): string[][] {
  const { capabilities, discovery } = definition;
  const { supports_session_resume, supports_shell, supports_workspace_only } = discovery.discovery_capabilities;
  const claims = [
    ...capabilities,
    ...(supports_session_resume ? ["session resume"] : []),
    ...(supports_shell ? ["shell"] : []),
    ...(supports_workspace_only ? ["workspace only"] : []),
  ];
  const settings = mcpPaths.map(({ path, exists }) => `${path} ${exists ? "(there)" : "(not there)"}`).join(", ");
  return [
    ["can", claims.join(", ") || "its definition doesn't say"],
    ["MCP", mcpText(definition) + (settings === "" ? "" : `; its own are in ${settings}`)],
  ];
}

function mcpText({ discovery, protocol }: AgentDefinition): string {
  if (discovery.supports_mcp === false) return "gets no servers (supports_mcp is false)";
  if (takesTools.has(protocol)) return "gets the servers of its profile, and the run's own tools";
  return takesServers.has(protocol)
    ? "gets the servers of its profile"
    : `gets no servers: ${protocol} can't carry them`;
}

function permissionRows({ permission_config, permission_settings }: AgentDefinition): string[][] {
  const { permission_flag, tools_requiring_permission: tools } = permission_config;
  const flag =
    permission_flag === "" || tools.length === 0 ? [] : [["asks for", `${tools.join(", ")} (${permission_flag})`]];
  const switches = Object.entries(permission_settings).filter(([, { supported }]) => supported);
  return [...flag, ...switches.map(([key, setting]) => ["switch", `${key}: ${switchText(setting)}`])];
}

function switchText(setting: PermissionSetting): string {
  const { label, description, default: on, apply_method, cli_flag, cli_flag_value, env, option } = setting;
  const how = {
    cli_flag: `${cli_flag} ${cli_flag_value}`.trim(),
    env: env?.split("=")[0] ?? "",
    acp: option === undefined ? "we answer its requests" : `option ${option}`,
    stdio: option === undefined ? "we answer its requests" : `option ${option}`,
  };
  const words = [label, description].filter((text) => text !== "").join(": ");
  return `${words === "" ? "" : `${words}; `}${on ? "on" : "off"} by default; ${apply_method ? how[apply_method] : "no effect"}`;
}

function resumeText({ session_config, protocol }: AgentDefinition): string {
  const { can_recover, native_session_resume, resume_flag } = session_config;
  if (!can_recover) return "never";
  if (native_session_resume && !processPerTurn.has(protocol)) return "by the agent itself";
  return resume_flag === "" ? "by telling it what was said before" : `by ${resume_flag} SESSION`;
}

function limitRows({ resource_limits }: AgentDefinition): string[][] {
  const { timeout_seconds, memory_mb, cpu_cores } = resource_limits;
  return [
    ["limit", `${timeout_seconds} s in all, wherever it runs`],
    [
      "limit",
      `${memory_mb} MB of memory and ${cpu_cores} CPUs in a container or in Kubernetes; on this machine, also in a sandbox, they don't hold`,
    ],
  ];
}

function modelsText({ models, source, trouble }: ModelList): string {
  const names = models.map(({ id }) => id).join(", ") || "none listed";
  const why = trouble === undefined ? "" : `; its own list could not be had: ${trouble}`;
  return `${names} (${source === "dynamic" ? "as the agent lists them" : "as defined"})${why}`;
}
