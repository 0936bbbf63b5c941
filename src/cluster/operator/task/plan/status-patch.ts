import { isDeepStrictEqual } from "node:util";
import type { TaskStatus } from "../../../../contract/resources/task.ts";
import type { StatusChange } from "./view.ts";

/** The merge patch from one status to the other, `null` for what goes; nothing when it is as it should be. */
export function statusPatch(before: TaskStatus | undefined, change: StatusChange): Record<string, unknown> | undefined {
  const known: Record<string, unknown> = { ...before };
  const entries = Object.entries(change).flatMap(([name, value]): [string, unknown][] => {
    const isEmpty =
      value === undefined || ((name === "outputs" || name === "results") && Object.keys(value).length === 0);
    if (isEmpty) return known[name] === undefined && !LONG.has(name) ? [] : [[name, null]];
    if (isDeepStrictEqual(known[name], value)) return [];
    // A merge patch adds to a map; what was there before must be named to go. Lists are replaced as a whole.
    return [[name, value]];
  });
  // What the cache doesn't hold can't be compared: it is written with whatever else changes, never for itself.
  if (entries.every(([name]) => LONG.has(name))) return undefined;
  return Object.fromEntries(entries);
}

const LONG = new Set(["outputs", "results"]);
