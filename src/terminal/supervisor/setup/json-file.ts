import { readFileSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object, `{}` when there is no file. What can't be read as one is refused, not overwritten. */
export function readObject(path: string): Json {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return {};
    throw error;
  }
  if (text.trim() === "") return {};
  const value = parse(text);
  if (isObject(value)) return value;
  throw new AppError("config.invalid", `${path}: it is not a JSON object; correct it or move it away`, { path });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function writeObject(path: string, value: Json): void {
  writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Objects are merged, arrays joined without repeating, anything else is the later one's. */
export function mergeDeep(base: Json, over: Json): Json {
  const merged: Json = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    if (isObject(before) && isObject(value)) merged[key] = mergeDeep(before, value);
    else if (Array.isArray(before) && Array.isArray(value)) merged[key] = union(before, value);
    else merged[key] = value;
  }
  return merged;
}

function union(a: readonly unknown[], b: readonly unknown[]): unknown[] {
  const seen = new Set(a.map((one) => JSON.stringify(one)));
  return [...a, ...b.filter((one) => !seen.has(JSON.stringify(one)))];
}
