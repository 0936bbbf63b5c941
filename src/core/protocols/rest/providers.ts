import { z } from "zod";
import { AppError } from "../../../contract/errors.ts";

interface Provider {
  baseUrl: string;
  model: string;
  keyVariable: string;
  /** The first of them that is set wins over `baseUrl`. */
  baseUrlVariables: readonly string[];
  modelVariable?: string;
  /** Perplexity counts in every chunk, unasked. */
  asksForUsage: boolean;
}

const providers: ReadonlyMap<string, Provider> = new Map([
  [
    "perplexity",
    {
      baseUrl: "https://api.perplexity.ai",
      model: "sonar-reasoning",
      keyVariable: "PERPLEXITY_API_KEY",
      baseUrlVariables: [],
      asksForUsage: false,
    },
  ],
  [
    "xai",
    {
      baseUrl: "https://api.x.ai/v1",
      model: "grok-4",
      keyVariable: "XAI_API_KEY",
      baseUrlVariables: ["XAI_BASE_URL", "XAI_API_BASE"],
      modelVariable: "XAI_MODEL",
      asksForUsage: true,
    },
  ],
]);

/** `protocol_config` of a definition with protocol "rest". */
const RestConfig = z.strictObject({
  provider: z.string().optional(),
  base_url: z.url().optional(),
  /** The variable that holds the key; "" for a server that wants none. */
  api_key_env: z.string().optional(),
  default_model: z.string().optional(),
  path: z.string().startsWith("/").default("/chat/completions"),
  headers: z.record(z.string(), z.string()).default({}),
  header_timeout_ms: z.number().positive().default(10_000),
  idle_timeout_ms: z.number().positive().default(60_000),
  total_timeout_ms: z
    .number()
    .positive()
    .default(30 * 60_000),
});

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
  const known = provider === undefined ? undefined : providers.get(provider);
  if (provider !== undefined && known === undefined && base_url === undefined) {
    throw invalid(`provider ${provider} is unknown: set base_url, or use ${[...providers.keys()].join(" or ")}`);
  }
  const base = base_url ?? known?.baseUrlVariables.map((name) => env[name]).find(isSet) ?? known?.baseUrl;
  if (base === undefined) throw invalid("set provider or base_url");
  const model = wanted ?? rest.default_model ?? fromEnv(env, known?.modelVariable) ?? known?.model;
  if (model === undefined) throw invalid("set default_model, or choose a model in the profile");
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
  if (variable === "") return undefined;
  if (variable === undefined) {
    throw invalid('name the variable that holds the key in api_key_env, or set it to "" if the server wants no key');
  }
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
