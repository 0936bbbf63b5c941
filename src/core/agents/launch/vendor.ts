import { AppError } from "../../../contract/errors.ts";
import type { AgentDefinition } from "../registry/definition.ts";
import { noLaunchConfig } from "./launch-config.ts";

/** Where the model is, and who asks: a profile's base_url and token, in the agent's own way. */
export interface Connection {
  args: string[];
  env: Record<string, string>;
  /** As this agent calls it. */
  model: string | undefined;
}

export interface ConnectionWishes {
  definition: AgentDefinition;
  model: string | undefined;
  baseUrl: string | undefined;
  token: string | undefined;
  /** Whether this variable will be set for the agent, by the caller or the profile. */
  has: (variable: string) => boolean;
  /** The agent's own login is there, so that a key in the environment needs no help. */
  loggedIn: boolean;
}

export function connect(wishes: ConnectionWishes): Connection {
  const { definition, baseUrl, token, model } = wishes;
  const launch = definition.protocol_config.launch ?? noLaunchConfig;
  const env: Record<string, string> = {};
  if (token !== undefined) env[tokenVariable(definition, token)] = token;
  if (baseUrl !== undefined) for (const name of launch.base_url_env) env[name] = baseUrl;
  switch (launch.provider) {
    case "codex":
      return { args: codexArguments(codexProvider(wishes, launch.token_env ?? "")), env, model };
    case "codex-acp":
      return { args: [], env: { ...env, ...codexVariables(codexProvider(wishes, launch.token_env ?? "")) }, model };
    case "opencode":
      return opencodeProvider(wishes, launch.token_env ?? "", env);
    default:
      return { args: [], env, model };
  }
}

/** The variable that a token goes into. */
export function tokenVariable(definition: AgentDefinition, token: string): string {
  const { token_env, token_prefix_env } = definition.protocol_config.launch ?? noLaunchConfig;
  const special = Object.entries(token_prefix_env).find(([prefix]) => token.startsWith(prefix));
  const variable = special?.[1] ?? token_env ?? definition.required_env[0];
  if (variable !== undefined) return variable;
  const message = `agent ${definition.id}: nothing says which variable takes its token; set protocol_config.launch.token_env in agents.json, or the variable itself in the profile's env`;
  throw new AppError("config.invalid", message);
}

/**
 * Measured with codex 0.166: OPENAI_BASE_URL is ignored, and OPENAI_API_KEY alone leaves it logged out. A provider of our own
 * makes both work; without need of either it is left alone, because a login with an account knows no such provider.
 */
function codexProvider({ baseUrl, token, has, loggedIn }: ConnectionWishes, tokenEnv: string) {
  const hasKey = token !== undefined || has(tokenEnv);
  if (baseUrl === undefined && token === undefined && (loggedIn || !hasKey)) return undefined;
  return {
    name: "cox",
    base_url: baseUrl ?? OPENAI,
    wire_api: "responses",
    ...(hasKey ? { env_key: tokenEnv } : {}),
  };
}

function codexArguments(provider: ReturnType<typeof codexProvider>): string[] {
  if (provider === undefined) return [];
  const fields = Object.entries(provider).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return ["-c", `model_providers.cox={${fields.join(",")}}`, "-c", `model_provider="cox"`];
}

/** The bridge takes no arguments, but the same settings as JSON. */
function codexVariables(provider: ReturnType<typeof codexProvider>): Record<string, string> {
  if (provider === undefined) return {};
  const config = { model_provider: "cox", model_providers: { cox: provider } };
  return { CODEX_CONFIG: JSON.stringify(config), MODEL_PROVIDER: "cox" };
}

const OPENAI = "https://api.openai.com/v1";

/** Whether an address alone says too little: a model must be named with it, if only on the command line. */
export const wantsModel = (definition: AgentDefinition, { baseUrl, model }: { baseUrl: unknown; model: unknown }) =>
  definition.protocol_config.launch?.provider === "opencode" && baseUrl !== undefined && model === undefined;

/** `provider/model` moves that provider to the address; a bare model gets a provider that speaks as OpenAI does. */
function opencodeProvider(
  { baseUrl, token, has, model }: ConnectionWishes,
  tokenEnv: string,
  env: Record<string, string>,
): Connection {
  if (baseUrl === undefined) return { args: [], env, model };
  if (model === undefined) {
    throw new AppError(
      "config.invalid",
      "base_url: OpenCode needs a model with it; set model in the profile, or --model",
    );
  }
  const slash = model.indexOf("/");
  const provider = slash === -1 ? "cox" : model.slice(0, slash);
  const name = model.slice(slash + 1);
  const key = token !== undefined || has(tokenEnv) ? { apiKey: `{env:${tokenEnv}}` } : {};
  const entry = {
    ...(slash === -1 ? { npm: "@ai-sdk/openai-compatible" } : {}),
    options: { baseURL: baseUrl, ...key },
    models: { [name]: {} },
  };
  const full = `${provider}/${name}`;
  const config = { provider: { [provider]: entry }, model: full, small_model: full };
  return { args: [], env: { ...env, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) }, model: full };
}
