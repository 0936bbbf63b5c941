import type { AgentDefinition } from "../registry/definition.ts";
import { noLaunchConfig } from "./launch-config.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Where an agent keeps its settings, logins and history. By default that is the person's own place: what the caller's
 * variables say is passed on, also into a minimal environment, and where they say nothing the variable stays unset. We don't
 * spell out the default, because that isn't the same: CLAUDE_CONFIG_DIR=~/.claude makes Claude look for .claude.json, and with
 * it the login, inside that folder; and codex refuses a CODEX_HOME that doesn't exist yet. Of the agents we know only Gemini
 * reads a repository's `.env` (measured), so only its home is named in every case (own_home_env).
 */
export function homeVariables(
  definition: AgentDefinition,
  { dir, home, caller }: { dir: string | undefined; home: string; caller: Variables },
): Record<string, string> {
  const { home_env, own_home_env } = definition.protocol_config.launch ?? noLaunchConfig;
  if (dir !== undefined) return mapValues(home_env, (value) => value.replaceAll("{dir}", dir));
  const env = home === "" ? {} : mapValues(own_home_env, (value) => value.replaceAll("{home}", home));
  for (const name of Object.keys(home_env)) {
    const value = caller[name];
    if (value !== undefined && value !== "") env[name] = value;
  }
  return env;
}

/** Whether it can have a home of its own at all. */
export const canBePrivate = (definition: AgentDefinition): boolean =>
  Object.keys(definition.protocol_config.launch?.home_env ?? {}).length > 0;

function mapValues(
  record: Readonly<Record<string, string>>,
  change: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
