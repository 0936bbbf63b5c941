import { brokenAt } from "./json-place.ts";

/** Something in an agents.json that doesn't hold, said with its place. The agent it speaks of is not to be started. */
export interface Problem {
  /** `file`: nothing in it can be relied on. */
  about: "file" | "entry";
  id: string | undefined;
  message: string;
}

export type RawEntry = Readonly<Record<string, unknown>>;

/** The list in the text, each entry as it stands there. */
export function parseEntryList(file: string, text: string): { list: unknown[]; place: string } | { problem: Problem } {
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

export const isRecord = (value: unknown): value is RawEntry =>
  typeof value === "object" && value !== null && !Array.isArray(value);
