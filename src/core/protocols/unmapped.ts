import type { EventOf } from "../../contract/events.ts";

const SHOWN = 500;

/** A message of a kind we don't know: counted and shown in part, never dropped silently. */
export function unknownType(protocol: string, wireType: string | undefined, message: unknown): EventOf<"unmapped"> {
  const raw = encode(message);
  const bytes = new TextEncoder().encode(raw).length;
  return { type: "unmapped", protocol, why: "unknown_type", wireType, bytes, raw: raw.slice(0, SHOWN) };
}

/** JSON nested 100,000 deep can be read, but not written again. */
function encode(message: unknown): string {
  try {
    return JSON.stringify(message) ?? "";
  } catch {
    return "";
  }
}
