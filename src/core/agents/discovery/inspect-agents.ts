import { homedir } from "node:os";
import { AppError } from "../../../contract/errors.ts";
import { VERSION } from "../../../lib/base/version.ts";
import { packageRoot } from "../../../lib/files/package-root.ts";
import { buildEnvironment } from "../../../lib/process/path/environment.ts";
import type { Profile } from "../profiles/profile.ts";
import { profileNames, readProfile } from "../profiles/profile-files.ts";
import type { AgentDefinition } from "../registry/definition.ts";
import { type Discovered, discover, isFetcher } from "./discovery.ts";
import { nativeBinary } from "./native-binary.ts";
import { ProgramAnswers } from "./program-answers.ts";
import { versionOf } from "./version.ts";

/** An agent, and what this machine says about it. */
export interface InspectedAgent {
  definition: AgentDefinition;
  found: Discovered;
  version: string | undefined;
  /** Saved profiles for it. */
  profiles: string[];
}

/** All of them at once: each has five seconds of its own to tell its version. */
export async function inspectAgents(
  definitions: readonly AgentDefinition[],
  home: string,
  env: NodeJS.ProcessEnv,
): Promise<InspectedAgent[]> {
  const saved = await savedProfiles(home);
  return Promise.all(definitions.map((definition) => inspect(definition, saved, env)));
}

async function inspect(
  definition: AgentDefinition,
  saved: Map<string, Profile>,
  caller: NodeJS.ProcessEnv,
): Promise<InspectedAgent> {
  const env = { ...caller, HOME: caller.HOME ?? homedir() };
  const own = { node: process.execPath, package: packageRoot() };
  const mine = [...saved].filter(([, profile]) => profile.agent.toLowerCase() === definition.id);
  const provided = new Set(mine.flatMap(([, profile]) => variablesOf(definition, profile)));
  const found = discover(definition, { env, platform: process.platform, provided, own });
  const version = await versionFor(definition, found, env);
  return { definition, found, version, profiles: mine.map(([name]) => name) };
}

async function versionFor(
  definition: AgentDefinition,
  { program, state }: Discovered,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (program === undefined || state === "missing") return undefined;
  if (definition.cmd[0] === "{node}") return VERSION; // ours
  if (isFetcher(definition)) return undefined; // that would be the fetcher's
  const file = nativeBinary(program);
  return versions.about(file, "version", () => versionOf(file, probeEnvironment(definition, env)));
}

const versions = new ProgramAnswers<string | undefined>();

/** For programs that are only asked about themselves: no keys, no updates. */
export function probeEnvironment(definition: AgentDefinition, env: NodeJS.ProcessEnv): Record<string, string> {
  return buildEnvironment({ caller: env, definition: definition.env, run: {}, keep: [], clean: true });
}

/** What a profile gives its agent beside the environment. */
function variablesOf({ protocol_config, required_env }: AgentDefinition, { token, env = {} }: Profile): string[] {
  const tokenVariable = protocol_config.launch?.token_env ?? required_env[0];
  return [...Object.keys(env), ...(token === undefined || tokenVariable === undefined ? [] : [tokenVariable])];
}

/** A broken profile is told by `cox profile`; here it just doesn't count. */
async function savedProfiles(home: string): Promise<Map<string, Profile>> {
  const saved = new Map<string, Profile>();
  for (const name of profileNames(home)) {
    try {
      saved.set(name, await readProfile(home, name));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return saved;
}
