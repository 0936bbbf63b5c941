import { isMessageType } from "../../../contract/bus.ts";

/**
 * The head of a record that conductor-loop's `run-agent` wrote: YAML as its library prints it, of which this knows what a message
 * has. A key that isn't there stays away; whatever else there is, is passed over.
 */
export function parseTheirHead(text: string): Record<string, unknown> {
  const head: Record<string, unknown> = {};
  let list: unknown[] = [];
  for (const line of text.split("\n")) {
    const [, key, value = ""] = /^([a-z_]+):(?: (.*))?$/.exec(line) ?? [];
    if (key !== undefined) head[key] = value === "" ? (list = []) : scalar(value);
    const [, item] = /^ *- (?:msg_id: |url: )?(.*)$/.exec(line) ?? [];
    if (item !== undefined) list.push(scalar(item));
  }
  return { ...head, type: typeOf(head.type), data: undefined };
}

function scalar(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1); // an escape that only YAML knows: as it is written
  }
}

/** It takes any text for a type; here a type is a word in capitals. */
function typeOf(type: unknown): string {
  const word = typeof type === "string" ? type.toUpperCase().replaceAll("-", "_") : "";
  return isMessageType(word) ? word : "INFO";
}
