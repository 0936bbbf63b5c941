import { existsSync, readFileSync } from "node:fs";
import type { AgentDefinition } from "../registry/definition.ts";
import { expandPath } from "./expand-path.ts";
import { chosenProvider } from "./provider-config.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** `unknown`: nothing tells from outside. `none`: we know where a login would be, and there is none. */
export interface Login {
  state: "account" | "key" | "none" | "unknown";
  /** The file or the variable that says so. */
  by: string;
}

/** An account is a file of the agent's own; a key is a variable. Only whether it is there is looked at, never its value. */
export function findLogin(
  definition: AgentDefinition,
  env: Variables,
  provided: ReadonlySet<string> = new Set(),
): Login {
  const { required_env, login_env, login_paths, protocol_config } = definition;
  const has = (name: string) => provided.has(name) || (env[name] ?? "") !== "";
  const missing = required_env.find((name) => !has(name));
  if (missing !== undefined) return { state: "none", by: missing };
  // A profile's token comes with a provider of its own.
  const isGiven = provided.has(protocol_config.launch?.token_env ?? "");
  const own = isGiven ? undefined : providerLogin(definition.provider_config, env, has);
  if (own !== undefined) return own;
  const file = login_paths.find((path) => holds(path, env));
  if (file !== undefined) return { state: "account", by: expandPath(file, env) ?? file };
  const keys = [...required_env, ...login_env, protocol_config.launch?.token_env ?? []].flat();
  const key = keys.find(has);
  if (key !== undefined) return { state: "key", by: key };
  const isKnowable = login_paths.length > 0 || login_env.length > 0;
  return isKnowable ? { state: "none", by: "" } : { state: "unknown", by: "" };
}

/** Whoever chose another provider is logged in with the key that it names; the agent's own account doesn't count then. */
function providerLogin(written: string, env: Variables, has: (name: string) => boolean): Login | undefined {
  const file = written === "" ? undefined : expandPath(written, env);
  const chosen = file === undefined ? undefined : chosenProvider(textOf(file));
  if (file === undefined || chosen === undefined) return undefined;
  const { envKey } = chosen;
  return envKey === undefined || has(envKey) ? { state: "account", by: file } : { state: "none", by: envKey };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // nobody wrote one, or it is not ours to read: then it chooses nothing
  }
}

/** `file`, or `file#key` for a key in a JSON file. */
function holds(written: string, env: Variables): boolean {
  const [path = "", key] = written.split("#");
  const file = expandPath(path, env);
  if (file === undefined || !existsSync(file)) return false;
  return key === undefined || hasKey(file, key);
}

function hasKey(file: string, key: string): boolean {
  try {
    const data: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof data === "object" && data !== null && key in data && (data as Record<string, unknown>)[key] !== null;
  } catch {
    return false; // unreadable or half written by the agent: then it says nothing about a login
  }
}
