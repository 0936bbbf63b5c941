import { AppError } from "../../../contract/errors.ts";
import { runCommand } from "../../../lib/process/command.ts";
import { findExecutable } from "../../../lib/process/path/executable.ts";
import type { AgentDefinition, Model } from "../registry/definition.ts";
import { isRecord } from "../registry/entry-list.ts";
import { nativeBinary } from "./native-binary.ts";

/** What a default profile gets: the named one, else the one marked as default, else none, and the agent chooses. */
export function defaultModel({ model_config }: AgentDefinition): string | undefined {
  const { default_model, available_models } = model_config;
  return default_model || available_models.find((model) => model.is_default)?.id;
}

export interface ModelList {
  source: "static" | "dynamic";
  models: Pick<Model, "id" | "name">[];
  /** Why the agent's own list could not be had. */
  trouble?: string;
}

/** Those of its definition. */
export const fixedModels = ({ model_config }: AgentDefinition): ModelList => ({
  source: "static",
  models: model_config.available_models,
});

/** The agent's own list where it can print one, else the one in its definition. */
export async function listModels(
  definition: AgentDefinition,
  env: Readonly<Record<string, string>>,
): Promise<ModelList> {
  const { dynamic_models_cmd, dynamic_models_timeout_ms: timeoutMs } = definition.model_config;
  const fixed = fixedModels(definition);
  const [program, ...args] = dynamic_models_cmd;
  if (program === undefined) return fixed;
  try {
    const file = nativeBinary(findExecutable(program, { path: env.PATH, cwd: "/" }));
    const { stdout } = await runCommand(file, args, { env, cwd: "/", timeoutMs, maxBytes: MAX_BYTES });
    const models = parseModels(stdout.toString("utf8"));
    return models.length > 0 ? { source: "dynamic", models } : { ...fixed, trouble: "it printed no models" };
  } catch (error) {
    if (error instanceof AppError) return { ...fixed, trouble: error.message };
    throw error;
  }
}

const MAX_BYTES = 4 * 1024 * 1024;

/** A JSON list of names or of objects, bare or under `models`; or one name per line. */
export function parseModels(output: string): ModelList["models"] {
  const text = output.trim();
  if (/^[[{]/.test(text)) {
    const value = parseJson(text);
    const list = isRecord(value) ? value.models : value;
    return Array.isArray(list) ? list.map(modelIn).filter(({ id }) => id !== "") : [];
  }
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^[\w./:@+-]+$/.test(line))
    .map((id) => ({ id, name: "" }));
}

/** Another program's output: what isn't as expected is passed over. */
function modelIn(entry: unknown): Pick<Model, "id" | "name"> {
  if (typeof entry === "string") return { id: entry, name: "" };
  if (!isRecord(entry)) return { id: "", name: "" };
  const text = (...keys: string[]) => keys.map((key) => entry[key]).find((value) => typeof value === "string") ?? "";
  return { id: text("id", "slug"), name: text("name", "display_name") };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // then it is no list of models
  }
}
