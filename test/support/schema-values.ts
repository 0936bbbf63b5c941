import type { JsonSchema } from "../../src/faces/server/api/openapi.ts";
import { type Known, type Root, resolve } from "./json-schema.ts";

/** Numbers that are the same each time. */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export type Size = "required" | "all" | "smallest" | "largest";

export interface Making {
  root: Root;
  random: Random;
  size: Size;
  /** Values for fields of these names, so that something is found behind them. */
  words: Readonly<Record<string, readonly unknown[]>>;
}

/** A value that fits the schema, as far as the schema says; refinements may still refuse it. */
export function valueOf(schema: JsonSchema, making: Making, name = ""): unknown {
  const { random, size, words, root } = making;
  const known = words[name];
  if (known !== undefined && size !== "smallest" && size !== "largest") return pick(known, random);
  const { $ref, const: only, enum: values, anyOf, oneOf, type } = schema as Known;
  if ($ref !== undefined) return valueOf(resolve($ref, root), making, name);
  if (only !== undefined) return only;
  if (values !== undefined) return pick(values, random);
  const variants = anyOf ?? oneOf;
  if (variants !== undefined) return valueOf(pick(variants, random), making, name);
  switch (typeof type === "object" ? type[0] : type) {
    case "object":
      return objectOf(schema, making);
    case "array":
      return arrayOf(schema, making, name);
    case "string":
      return textOf(schema, making);
    case "integer":
    case "number":
      return numberOf(schema, making);
    case "boolean":
      return random() < 0.5;
    default:
      return pick([null, 1, "x", {}], random);
  }
}

const pick = <T>(from: readonly T[], random: Random): T => from[Math.floor(random() * from.length)] as T;

function objectOf({ properties = {}, required = [], additionalProperties }: Known, making: Making): unknown {
  const wanted = Object.entries(properties).filter(([key]) => required.includes(key) || making.size !== "required");
  const own = wanted.map(([key, each]): [string, unknown] => [key, valueOf(each, making, key)]);
  const more: [string, unknown][] =
    typeof additionalProperties === "object" && making.size !== "required"
      ? [["some", valueOf(additionalProperties, making, "some")]]
      : [];
  return Object.fromEntries([...own, ...more]);
}

function arrayOf({ items = {}, minItems = 0, maxItems = 3 }: Known, making: Making, name: string): unknown[] {
  const length = { required: Math.max(minItems, 1), all: 2, smallest: minItems, largest: Math.min(maxItems, 65) };
  return Array.from({ length: Math.max(minItems, length[making.size]) }, () => valueOf(items, making, name));
}

function textOf({ minLength = 0, maxLength = 40, pattern }: Known, { size, random }: Making): string {
  if (pattern !== undefined && !pattern.startsWith("^["))
    return pick(["start", "http://127.0.0.1:9/x", "a".repeat(64)], random);
  if (size === "smallest") return "x".repeat(minLength);
  if (size === "largest") return "x".repeat(maxLength);
  return pick(["a", "hello", "2026-01-01", "main", "x1"], random).padEnd(minLength, "x").slice(0, maxLength);
}

function numberOf({ type, minimum = 0, maximum = 1000, exclusiveMinimum }: Known, { size, random }: Making): number {
  const low = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + (type === "integer" ? 1 : 0.5);
  if (size === "smallest") return low;
  if (size === "largest") return maximum;
  const high = Math.min(maximum, low + 20);
  return type === "integer" ? Math.floor(low + random() * (high - low)) : low + random();
}

export const HOSTILE: readonly string[] = [
  "",
  " ",
  "..",
  "../../../../etc/passwd",
  "/etc/passwd",
  "-rf",
  "--help",
  "__proto__",
  "constructor",
  "$(touch /tmp/pwned)",
  "`id`",
  "'; drop table x; --",
  "a\u0000b",
  "a\r\nX-Evil: 1",
  "\u001b]0;title\u0007",
  "\ud800",
  "\u202eevil",
  "💥".repeat(20),
  "<img src=x onerror=alert(1)>",
  "{{7*7}}",
  "%00%2e%2e%2f",
  "x".repeat(5000),
];

/** Of every kind but the right ones. */
export const STRANGE: readonly unknown[] = [null, true, -1, 1.5, 1e308, "text", [], {}, [[]], { a: { b: {} } }];
