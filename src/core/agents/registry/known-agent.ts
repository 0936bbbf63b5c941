import { join } from "node:path";
import builtin from "./agents.json" with { type: "json" };
import { isRecord, parseEntryList } from "./entry-list.ts";
import { readOptional } from "./optional-file.ts";

/**
 * Whether there is an agent of this id that isn't disabled. Its entry isn't checked: that needs the schemas, and loading them
 * takes longer than the rest of the library.
 */
export function isKnownAgent(home: string, id: string): boolean {
  const text = readOptional(join(home, "agents.json"));
  const parsed = text === undefined ? undefined : parseEntryList("agents.json", text);
  const own = parsed !== undefined && "list" in parsed ? parsed.list.filter(isRecord) : [];
  const entries = [...builtin.agents, ...own].filter((entry) => entry.id === id);
  // Of one that ships with us, an own entry changes only the fields it gives.
  const { enabled = true }: { enabled?: unknown } = Object.assign({}, ...entries);
  return entries.length > 0 && enabled !== false;
}
