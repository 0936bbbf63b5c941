import { AgentDefinition } from "./definition.ts";
import { isRecord, type Problem, parseEntryList, type RawEntry } from "./entry-list.ts";
import { describeIssues } from "./issue.ts";

export interface Entries {
  definitions: AgentDefinition[];
  problems: Problem[];
}

/**
 * The agents that a file describes: `{"agents": […]}` or the bare list. An entry with the id of one in `base` changes only the
 * fields it gives. A bad entry is a problem of its own and leaves the others alone.
 */
export function readEntries(file: string, text: string, base: readonly RawEntry[] = []): Entries {
  const parsed = parseEntryList(file, text);
  if ("problem" in parsed) return { definitions: [], problems: [parsed.problem] };
  const known = new Map(base.map((entry) => [entry.id, entry]));
  const seen = new Set<unknown>();
  const definitions: AgentDefinition[] = [];
  const problems: Problem[] = [];
  for (const [i, entry] of parsed.list.entries()) {
    const problem = (why: string) => {
      const id = isRecord(entry) && typeof entry.id === "string" ? entry.id : undefined;
      const place = `${parsed.place}[${i}]${id === undefined ? "" : ` "${id}"`}`;
      problems.push({ about: "entry", id, message: `${file}: ${place}: ${why}` });
    };
    if (!isRecord(entry)) {
      problem("must be an object");
      continue;
    }
    if (seen.has(entry.id) && entry.id !== undefined) {
      problem("its id is taken by an entry before it");
      continue;
    }
    seen.add(entry.id);
    const merged = { ...known.get(entry.id), ...entry };
    const result = AgentDefinition.safeParse(merged);
    if (result.success) definitions.push(result.data);
    else problem(describeIssues(result.error, merged));
  }
  return { definitions, problems };
}
