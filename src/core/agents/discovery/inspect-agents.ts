import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { VERSION } from "../../../lib/base/version.ts";
import { buildEnvironment } from "../../../lib/process/path/environment.ts";
import type { Profile } from "../profiles/profile.ts";
import { profileNames, readProfile } from "../profiles/profile-files.ts";
import type { AgentDefinition } from "../registry/definition.ts";
import { type Discovered, discoverHere, isFetcher } from "./discovery.ts";
import { nativeBinary } from "./native-binary.ts";
import { ProgramAnswers } from "./program-answers.ts";
import { scriptArguments, versionOf } from "./version.ts";

/** An agent, and what this machine says about it. */
export interface FoundAgent {
  definition: AgentDefinition;
  found: Discovered;
  /** Saved profiles for it. */
  profiles: string[];
}

export interface InspectedAgent extends FoundAgent {
  version: string | undefined;
}

/** Whether each is installed and logged in, by itself or by a profile. Only files are looked at. */
export async function findAgents(
  definitions: readonly AgentDefinition[],
  home: string,
  env: NodeJS.ProcessEnv,
): Promise<FoundAgent[]> {
  const saved = await savedProfiles(home);
  return definitions.map((definition) => {
    const mine = [...saved].filter(([, profile]) => profile.agent.toLowerCase() === definition.id);
    const provided = new Set(mine.flatMap(([, profile]) => variablesOf(definition, profile)));
    return { definition, found: discoverHere(definition, env, provided), profiles: mine.map(([name]) => name) };
  });
}

/** The first profile by which the agent can be used, where it can't be by itself. */
export async function readyProfile(
  definitions: readonly AgentDefinition[],
  home: string,
  env: NodeJS.ProcessEnv,
): Promise<{ agent: string; profile: string } | undefined> {
  const saved = [...(await savedProfiles(home))];
  for (const definition of definitions) {
    const ready = saved.find(
      ([, profile]) =>
        profile.agent.toLowerCase() === definition.id &&
        discoverHere(definition, env, new Set(variablesOf(definition, profile))).state === "installed",
    );
    if (ready !== undefined) return { agent: definition.id, profile: ready[0] };
  }
  return undefined;
}

/** All of them at once: each has five seconds of its own to tell its version. */
export async function inspectAgents(
  definitions: readonly AgentDefinition[],
  home: string,
  env: NodeJS.ProcessEnv,
): Promise<InspectedAgent[]> {
  const found = await findAgents(definitions, home, env);
  const outside = { ...env, HOME: env.HOME ?? homedir() };
  return Promise.all(
    found.map(async (each) => ({ ...each, version: await versionFor(each.definition, each.found, outside) })),
  );
}

async function versionFor(
  definition: AgentDefinition,
  { program, state }: Discovered,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (program === undefined || state === "missing") return undefined;
  if (definition.cmd[1]?.startsWith("{package}/")) return VERSION; // ours
  if (isFetcher(definition)) return undefined; // that would be the fetcher's
  if (definition.protocol === "text") return undefined; // a script that knows no --version would begin to work
  const file = nativeBinary(program);
  const script = scriptArguments([program, ...definition.cmd.slice(1)]);
  if (script === undefined || script.some((word) => word.includes("{"))) return undefined;
  const asked = script.find(isAbsolute) ?? file;
  const ask = () => versionOf([file, ...script], probeEnvironment(definition, env));
  return versions.about(asked, `version of ${[file, ...script].join(" ")}`, ask);
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
