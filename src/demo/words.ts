import { RequestError } from "@agentclientprotocol/sdk";

/** The first word, and what comes after it. */
export function firstWord(rest: string): [word: string, after: string] {
  const match = /^(\S*)\s*(.*)$/.exec(rest);
  return [match?.[1] ?? "", match?.[2] ?? ""];
}

/** The number at a place in a step's words. A fallback makes it optional; anything else fails the prompt. */
export function numberAt(index: number, rest: string, fallback?: number): number {
  const word = rest.split(/\s+/)[index] || undefined;
  const value = word === undefined ? fallback : Number(word);
  if (value !== undefined && value >= 0 && Number.isFinite(value)) return value;
  throw RequestError.invalidParams({ rest }, `"${rest}" has no number as word ${index + 1}`);
}
