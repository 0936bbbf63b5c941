import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import builtin from "./agents.json" with { type: "json" };
import { AgentDefinition } from "./definition.ts";
import { type Entries, readEntries } from "./entries.ts";
import type { Problem } from "./entry-list.ts";
import { readOptional } from "./optional-file.ts";

export type Origin = "built-in" | "changed" | "own";

/** All agents that may be chosen, by id, in the order in which they are offered. */
export class Registry {
  readonly #definitions: ReadonlyMap<string, AgentDefinition>;
  readonly #own: ReadonlySet<string>;
  readonly problems: readonly Problem[];

  constructor(builtin: readonly AgentDefinition[], own: Entries = { definitions: [], problems: [] }) {
    this.#definitions = new Map([...builtin, ...own.definitions].map((definition) => [definition.id, definition]));
    this.#own = new Set(own.definitions.map(({ id }) => id));
    this.problems = own.problems;
  }

  /** Also the disabled ones. An agent whose entry is bad isn't among them: half of a person's wishes is not what they meant. */
  get all(): AgentDefinition[] {
    return [...this.#definitions.values()].filter(({ id }) => this.#problemOf(id) === undefined);
  }

  get enabled(): AgentDefinition[] {
    return this.all.filter((definition) => definition.enabled);
  }

  originOf(id: string): Origin {
    if (!this.#own.has(id)) return "built-in";
    return builtinIds.has(id) ? "changed" : "own";
  }

  /** For running it. */
  get(id: string): AgentDefinition {
    const definition = this.find(id);
    if (definition.enabled) return definition;
    throw new AppError("agent.unknown", `agent ${definition.id}: disabled; set "enabled": true in agents.json`);
  }

  /** For looking at it: a disabled one too. */
  find(id: string): AgentDefinition {
    const key = id.toLowerCase();
    const problem = this.problems.find(({ about }) => about === "file") ?? this.#problemOf(key);
    if (problem !== undefined) throw new AppError("config.invalid", problem.message);
    const definition = this.#definitions.get(key);
    if (definition !== undefined) return definition;
    const known = this.enabled.map((candidate) => candidate.id).join(", ");
    throw new AppError("agent.unknown", `agent ${JSON.stringify(id)}: unknown; known are ${known}`);
  }

  #problemOf(id: string): Problem | undefined {
    return this.problems.find((problem) => problem.id === id);
  }
}

const builtinIds: ReadonlySet<string> = new Set(builtin.agents.map(({ id }) => id));

/** The built-in agents, and with a home those of its agents.json over them. */
export function loadRegistry(home?: string): Registry {
  const known = builtinDefinitions();
  if (home === undefined) return new Registry(known);
  const text = readOptional(join(home, "agents.json"));
  return new Registry(known, text === undefined ? undefined : readEntries("agents.json", text, builtin.agents));
}

let parsed: readonly AgentDefinition[] | undefined;

/** Once per process: the check of two dozen entries takes some ten milliseconds. */
function builtinDefinitions(): readonly AgentDefinition[] {
  parsed ??= builtin.agents.map((entry) => AgentDefinition.parse(entry));
  return parsed;
}
