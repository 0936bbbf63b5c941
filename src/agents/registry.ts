import { AppError } from "../contract/errors.ts";
import { builtinDefinitions } from "./builtin.ts";
import type { AgentDefinition } from "./definition.ts";

/** All agents that may be chosen, by id. */
export class Registry {
  readonly #definitions: ReadonlyMap<string, AgentDefinition>;

  constructor(definitions: readonly AgentDefinition[]) {
    this.#definitions = new Map(definitions.map((definition) => [definition.id, definition]));
  }

  get enabled(): AgentDefinition[] {
    return [...this.#definitions.values()].filter((definition) => definition.enabled);
  }

  get(id: string): AgentDefinition {
    const definition = this.#definitions.get(id.toLowerCase());
    if (definition?.enabled) return definition;
    const known = this.enabled.map((candidate) => candidate.id).join(", ");
    throw new AppError("agent.unknown", `agent ${JSON.stringify(id)}: unknown; known are ${known}`);
  }
}

export function loadRegistry(): Registry {
  return new Registry(builtinDefinitions());
}
