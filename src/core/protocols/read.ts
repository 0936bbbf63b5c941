/** Tolerant reading of what a peer sent: a field that isn't what we hoped for is simply not there. */
export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const objectOf = (value: unknown): Json => (isObject(value) ? value : NO_FIELDS);
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : NO_ITEMS);
export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
export const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
export const booleanOf = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);

/** Most fields that are looked for aren't there: one empty thing for all of them. */
const NO_FIELDS: Json = Object.freeze({});
const NO_ITEMS: readonly unknown[] = Object.freeze([]);

/** The value when it is one of the words we know. */
export function oneOf<T extends string>(words: readonly T[], value: unknown): T | undefined {
  return words.find((word) => word === value);
}

/** What a tool returned, as text for people: strings as they are, anything else as JSON. */
export function showJson(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value, undefined, 2);
  } catch {
    return "[a value too deep to show]"; // JSON of depth 100k parses, but can't be written again
  }
}
