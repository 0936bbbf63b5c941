import { homedir } from "node:os";
import { packageRoot } from "../../../lib/files/package-root.ts";
import { discover } from "../../agents/discovery/discovery.ts";
import type { AgentDefinition } from "../../agents/registry/definition.ts";
import type { Registry } from "../../agents/registry/registry.ts";

/**
 * Nobody named an agent: the first one that is installed and logged in, said aloud, else the demo. Only files are looked at;
 * asking two dozen programs for their version would take seconds.
 */
export function chooseAgent(registry: Registry, callerEnv: NodeJS.ProcessEnv): { agent: string; notice: string } {
  const env = { ...callerEnv, HOME: callerEnv.HOME ?? homedir() };
  const own = { node: process.execPath, package: packageRoot() };
  const isReady = (definition: AgentDefinition) =>
    discover(definition, { env, platform: process.platform, own }).state === "installed";
  const chosen = inOrderOfChoice(registry.enabled).find(isReady)?.id ?? "demo";
  return { agent: chosen, notice: `using agent ${chosen} (choose another with --agent)` };
}

/** A model behind an API can't touch the workspace, so it comes after all that can; the demo is nobody's first choice. */
function inOrderOfChoice(definitions: readonly AgentDefinition[]): AgentDefinition[] {
  const others = definitions.filter(({ id }) => id !== "demo");
  const isRest = ({ protocol }: AgentDefinition) => protocol === "rest";
  return [...others.filter((definition) => !isRest(definition)), ...others.filter(isRest)];
}
