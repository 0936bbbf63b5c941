import { brokenAt } from "./json-place.ts";

/** Something in an agents.json that doesn't hold, said with its place. The agent it speaks of is not to be started. */
export interface Problem {
  /** `file`: nothing in it can be relied on. */
  about: "file" | "entry";
  id: string | undefined;
  message: string;
}

export type RawEntry = Readonly<Record<string, unknown>>;

export interface EntryList {
  list: readonly unknown[];
  /** What its places are called: `agents[0]`, or `[0]` in a bare list. */
  place: string;
  problems: readonly Problem[];
}

/** The list in the text, each entry as it stands there. */
export function parseEntryList(file: string, text: string): EntryList | { problem: Problem } {
  const bad = (why: string) => ({ problem: { about: "file" as const, id: undefined, message: `${file}: ${why}` } });
  let data: unknown;
  try {
    data = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    const { line, column } = brokenAt(text);
    return bad(`line ${line}, column ${column}: this is not JSON`);
  }
  if (Array.isArray(data)) return { list: data, place: "", problems: [] };
  if (!isRecord(data)) return bad('must be {"agents": […]}, a list, or one agent');
  if (!("agents" in data) && "id" in data) return { list: [data], place: "", problems: [] };
  const unknown = Object.keys(data).filter((key) => !["$schema", "version", "agents"].includes(key));
  const problems = unknown.map((key) => {
    const message = `${file}: unknown key "${key}"; the agents belong into "agents"`;
    return { about: "entry" as const, id: undefined, message };
  });
  if (Array.isArray(data.agents)) return { list: data.agents, place: "agents", problems };
  return problems[0] === undefined ? bad("agents: must be a list") : { problem: { ...problems[0], about: "file" } };
}

/**
 * What a person's entry makes of ours: objects are joined field by field, at any depth; lists and plain values are replaced
 * whole, because nobody can say which part of a list was meant.
 */
export function merged(ours: RawEntry, own: RawEntry): RawEntry {
  const fields = Object.entries(own).map(([key, value]) => {
    const before = Object.hasOwn(ours, key) ? ours[key] : undefined;
    return [key, isRecord(before) && isRecord(value) ? merged(before, value) : value];
  });
  return { ...ours, ...Object.fromEntries(fields) };
}

export const isRecord = (value: unknown): value is RawEntry =>
  typeof value === "object" && value !== null && !Array.isArray(value);
