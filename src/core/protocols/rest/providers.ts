import { z } from "zod";
import { isRestProvider, RestConfig, type RestProvider } from "../../../contract/agents/rest-config.ts";
import { AppError } from "../../../contract/errors.ts";

interface Provider {
  baseUrl: string;
  keyVariable: string;
  /** The first of them that is set wins over `baseUrl`. */
  baseUrlVariables: readonly string[];
  modelVariable?: string;
  /** Perplexity counts in every chunk, unasked. */
  asksForUsage: boolean;
}

const providers: Readonly<Record<RestProvider, Provider>> = {
  perplexity: {
    baseUrl: "https://api.perplexity.ai",
    keyVariable: "PERPLEXITY_API_KEY",
    baseUrlVariables: [],
    asksForUsage: false,
  },
  xai: {
    baseUrl: "https://api.x.ai/v1",
    keyVariable: "XAI_API_KEY",
    baseUrlVariables: ["XAI_BASE_URL", "XAI_API_BASE"],
    modelVariable: "XAI_MODEL",
    asksForUsage: true,
  },
};

export interface Endpoint {
  /** For messages: the provider's name, or the server's. */
  name: string;
  url: string;
  model: string;
  key: string | undefined;
  headers: Readonly<Record<string, string>>;
  asksForUsage: boolean;
  /** Milliseconds until the answer begins, between two chunks, and for all of a turn. */
  limits: { header: number; idle: number; total: number };
}

type Environment = Readonly<Record<string, string>>;

/** Where to ask, and as whom. The definition's word goes before the environment's, and that before the table's. */
export function endpointOf(config: unknown, env: Environment, wanted: string | undefined): Endpoint {
  const parsed = RestConfig.safeParse(config);
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error));
  const { provider, base_url, path, headers, ...rest } = parsed.data;
  const known = isRestProvider(provider) ? providers[provider] : undefined;
  const base = base_url ?? known?.baseUrlVariables.map((name) => env[name]).find(isSet) ?? known?.baseUrl;
  if (base === undefined) throw invalid("set provider or base_url");
  const model = wanted ?? fromEnv(env, known?.modelVariable);
  if (model === undefined) {
    throw new AppError("config.invalid", "no model: set model_config.default_model, or choose one in the profile");
  }
  return {
    name: provider ?? new URL(base).host,
    url: `${base.replace(/\/+$/, "")}${path}`,
    model,
    key: keyOf(rest.api_key_env ?? known?.keyVariable, env),
    headers,
    asksForUsage: known?.asksForUsage ?? true,
    limits: { header: rest.header_timeout_ms, idle: rest.idle_timeout_ms, total: rest.total_timeout_ms },
  };
}

function keyOf(variable: string | undefined, env: Environment): string | undefined {
  if (variable === "" || variable === undefined) return undefined;
  const key = fromEnv(env, variable);
  if (key === undefined)
    throw new AppError("agent.not_ready", `api key is empty; set ${variable} in the profile's env`);
  return key;
}

const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== "";

function fromEnv(env: Environment, name: string | undefined): string | undefined {
  const value = name === undefined ? undefined : env[name];
  return isSet(value) ? value.trim() : undefined;
}

const invalid = (why: string) => new AppError("config.invalid", `protocol_config of this REST agent: ${why}`);
