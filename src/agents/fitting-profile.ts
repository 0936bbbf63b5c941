import type { AgentDefinition } from "./definition.ts";
import { applySwitches } from "./switches.ts";
import { tokenVariable } from "./vendor.ts";

/** What could never be started isn't kept either. */
export function requireFitting(definition: AgentDefinition, wanted: Readonly<Record<string, unknown>>): void {
  if (typeof wanted.token === "string") tokenVariable(definition, wanted.token);
  applySwitches(definition, (wanted.switches ?? {}) as Record<string, boolean>, "ask");
}
