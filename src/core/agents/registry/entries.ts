import { z } from "zod";
import { RestConfig } from "../../../contract/agents/rest-config.ts";
import type { AgentDefinition as Definition } from "./definition.ts";
import { AgentDefinition } from "./definition-schema.ts";
import { isRecord, merged, type Problem, parseEntryList, type RawEntry } from "./entry-list.ts";
import { describeIssues } from "./issue.ts";

export interface Entries {
  definitions: Definition[];
  problems: Problem[];
}

/**
 * The agents that a file describes: `{"agents": […]}`, the bare list, or one bare entry. An entry with the id of one in `base`
 * changes only the fields it gives. A bad entry is a problem of its own and leaves the others alone.
 */
export function readEntries(file: string, text: string, base: readonly RawEntry[] = []): Entries {
  const parsed = parseEntryList(file, text);
  if ("problem" in parsed) return { definitions: [], problems: [parsed.problem] };
  const known = new Map(base.map((entry) => [entry.id, entry]));
  const seen = new Set<unknown>();
  const definitions: Definition[] = [];
  const problems = [...parsed.problems];
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
    const whole = merged(known.get(entry.id) ?? {}, entry);
    const result = AgentDefinition.safeParse(whole);
    const wrong = result.success ? wrongSettings(result.data) : describeIssues(result.error, whole);
    if (wrong !== undefined) problem(wrong);
    else if (result.success) definitions.push(result.data);
  }
  return { definitions, problems };
}

const RestSettings = z.object({ protocol_config: RestConfig });

/** The protocol would find it as well, but only when somebody waits for an answer. */
function wrongSettings({ protocol, protocol_config }: Definition): string | undefined {
  if (protocol !== "rest") return undefined;
  const { launch: _, ...config } = protocol_config;
  const settings = { protocol_config: config };
  const { error } = RestSettings.safeParse(settings);
  return error && describeIssues(error, settings);
}
