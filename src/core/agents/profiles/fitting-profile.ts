import { applySwitches } from "../launch/switches.ts";
import { tokenVariable } from "../launch/vendor.ts";
import type { AgentDefinition } from "../registry/definition.ts";

/** What could never be started isn't kept either. */
export function requireFitting(definition: AgentDefinition, wanted: Readonly<Record<string, unknown>>): void {
  if (typeof wanted.token === "string") tokenVariable(definition, wanted.token);
  applySwitches(definition, (wanted.switches ?? {}) as Record<string, boolean>, "ask");
}
