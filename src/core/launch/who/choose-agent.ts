import { discoverHere } from "../../agents/discovery/discovery.ts";
import type { AgentDefinition } from "../../agents/registry/definition.ts";
import type { Registry } from "../../agents/registry/registry.ts";

export interface ChosenAgent {
  agent: string;
  profile?: string;
  /** Which, and why: nobody has said so. */
  notice: string;
}

/**
 * Nobody named an agent: the first one that is installed and logged in, by itself or by a profile, said aloud; else the demo. Only
 * files are looked at; asking two dozen programs for their version would take seconds.
 */
export async function chooseAgent(registry: Registry, home: string, env: NodeJS.ProcessEnv): Promise<ChosenAgent> {
  const definitions = inOrderOfChoice(registry.enabled);
  const ready = definitions.find((definition) => discoverHere(definition, env).state === "installed");
  if (ready !== undefined) {
    const why = ready.protocol === "rest" ? "has its key" : "is installed and logged in";
    return { agent: ready.id, notice: `using agent ${ready.id}, which ${why} (choose another with --agent)` };
  }
  const { readyProfile } = await import("../../agents/discovery/inspect-agents.ts"); // most have one that is ready
  const byProfile = await readyProfile(definitions, home, env);
  if (byProfile !== undefined) {
    const { agent, profile } = byProfile;
    return {
      agent,
      profile,
      notice: `using profile ${profile}, for ${agent} (choose another with --profile or --agent)`,
    };
  }
  return { agent: "demo", notice: "using agent demo, since no other is ready: `cox agent ls` says what they need" };
}

/** A model behind an API can't touch the workspace, so it comes after all that can; the demo is nobody's first choice. */
function inOrderOfChoice(definitions: readonly AgentDefinition[]): AgentDefinition[] {
  const others = definitions.filter(({ id }) => id !== "demo");
  const isRest = ({ protocol }: AgentDefinition) => protocol === "rest";
  return [...others.filter((definition) => !isRest(definition)), ...others.filter(isRest)];
}
