import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import builtin from "./agents.json" with { type: "json" };
import { type AgentDefinition, completed, type Entry } from "./definition.ts";
import type { Entries } from "./entries.ts";
import type { Problem } from "./entry-list.ts";
import { readOptional } from "./optional-file.ts";

export type Origin = "built-in" | "changed" | "own";

/** All agents that may be chosen, by id, in the order in which they are offered. */
export class Registry {
  readonly #own: ReadonlyMap<string, AgentDefinition>;
  readonly problems: readonly Problem[];

  /** `own`: those of a person, over the built-in ones. */
  constructor(own: Entries = { definitions: [], problems: [] }) {
    this.#own = new Map(own.definitions.map((definition) => [definition.id, definition]));
    this.problems = own.problems;
  }

  /** Also the disabled ones. An agent whose entry is bad isn't among them: half of a person's wishes is not what they meant. */
  get all(): AgentDefinition[] {
    const ids = new Set([...builtinEntries.keys(), ...this.#own.keys()]);
    return [...ids].flatMap((id) => (this.#problemOf(id) === undefined ? (this.#definition(id) ?? []) : []));
  }

  get enabled(): AgentDefinition[] {
    return this.all.filter((definition) => definition.enabled);
  }

  originOf(id: string): Origin {
    if (!this.#own.has(id)) return "built-in";
    return builtinEntries.has(id) ? "changed" : "own";
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
    const definition = this.#definition(key);
    if (definition !== undefined) return definition;
    const known = this.enabled.map((candidate) => candidate.id);
    const [near] = nearest(key, known);
    const meant = near === undefined ? "" : `did you mean ${near}? `;
    throw new AppError("agent.unknown", `agent ${JSON.stringify(id)}: unknown; ${meant}known are ${known.join(", ")}`);
  }

  #definition(id: string): AgentDefinition | undefined {
    return this.#own.get(id) ?? builtinDefinition(id);
  }

  #problemOf(id: string): Problem | undefined {
    return this.problems.find((problem) => problem.id === id);
  }
}

/** The built-in agents, and those of the home's agents.json over them: only these are checked, and only then that is loaded. */
export async function loadRegistry(home: string): Promise<Registry> {
  const text = readOptional(join(home, "agents.json"));
  if (text === undefined) return new Registry();
  const { readEntries } = await import("./entries.ts");
  return new Registry(readEntries("agents.json", text, builtin.agents));
}

/** A test holds that each fits the schema. */
const builtinEntries = new Map((builtin.agents as Entry[]).map((entry) => [entry.id, entry]));
const whole = new Map<string, AgentDefinition>();

/** When it is wanted: a run needs one of two dozen. */
function builtinDefinition(id: string): AgentDefinition | undefined {
  const entry = builtinEntries.get(id);
  if (entry === undefined) return undefined;
  const definition = whole.get(id) ?? completed(entry);
  whole.set(id, definition);
  return definition;
}
