import { AgentDefinition } from "./definition.ts";
import { describeIssues } from "./issue.ts";
import { brokenAt } from "./json-place.ts";

/** Something in an agents.json that doesn't hold, said with its place. The agent it speaks of is not to be started. */
export interface Problem {
  /** `file`: nothing in it can be relied on. */
  about: "file" | "entry";
  id: string | undefined;
  message: string;
}

export interface Entries {
  definitions: AgentDefinition[];
  problems: Problem[];
}

type RawEntry = Readonly<Record<string, unknown>>;

/**
 * The agents that a file describes: `{"agents": […]}` or the bare list. An entry with the id of one in `base` changes only the
 * fields it gives. A bad entry is a problem of its own and leaves the others alone.
 */
export function readEntries(file: string, text: string, base: readonly RawEntry[] = []): Entries {
  const parsed = parse(file, text);
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

function parse(file: string, text: string): { list: unknown[]; place: string } | { problem: Problem } {
  const bad = (why: string) => ({ problem: { about: "file" as const, id: undefined, message: `${file}: ${why}` } });
  let data: unknown;
  try {
    data = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    const { line, column } = brokenAt(text);
    return bad(`line ${line}, column ${column}: this is not JSON`);
  }
  if (Array.isArray(data)) return { list: data, place: "" };
  if (!isRecord(data)) return bad('must be {"agents": […]} or a list');
  const unknown = Object.keys(data).find((key) => !["$schema", "version", "agents"].includes(key));
  if (unknown !== undefined) return bad(`unknown key "${unknown}"; the agents belong into "agents"`);
  return Array.isArray(data.agents) ? { list: data.agents, place: "agents" } : bad("agents: must be a list");
}

const isRecord = (value: unknown): value is RawEntry =>
  typeof value === "object" && value !== null && !Array.isArray(value);
