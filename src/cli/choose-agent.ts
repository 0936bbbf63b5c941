import { loadRegistry } from "../agents/registry.ts";
import type { Context } from "./command.ts";

/** Nobody named an agent: the first one that is installed and logged in, said aloud, else the demo. */
export async function chooseAgent(context: Context): Promise<string> {
  const ready = loadRegistry().enabled.find((definition) => definition.id !== "demo");
  const chosen = ready?.id ?? "demo";
  context.stderr.write(`using agent ${chosen} (choose another with --agent)\n`);
  return chosen;
}
