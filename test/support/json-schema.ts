import type { JsonSchema } from "../../src/faces/server/api/openapi.ts";

/** The part of JSON Schema that our document uses. Returns what is wrong, each with its place. */
export function violations(schema: JsonSchema, value: unknown, root: Root, at = "$"): string[] {
  const { $ref, const: only, enum: values, anyOf, oneOf, allOf, type } = schema as Known;
  if ($ref !== undefined) return violations(resolve($ref, root), value, root, at);
  if (only !== undefined && value !== only) return [`${at}: is not ${JSON.stringify(only)}`];
  if (values !== undefined && !values.includes(value)) return [`${at}: is none of ${JSON.stringify(values)}`];
  const variants = anyOf ?? oneOf;
  if (variants !== undefined) {
    const tried = variants.map((each) => violations(each, value, root, at));
    if (!tried.some((wrong) => wrong.length === 0)) {
      return [`${at}: fits none of ${variants.length}: ${tried.map(([first]) => first).join(" | ")}`];
    }
  }
  const wrong = (allOf ?? []).flatMap((each) => violations(each, value, root, at));
  if (type !== undefined && !isOf(type, value)) return [...wrong, `${at}: is not ${String(type)}`];
  return [...wrong, ...boundsOf(schema, value, at), ...partsOf(schema, value, root, at)];
}

export interface Root {
  components: { schemas: Readonly<Record<string, JsonSchema>> };
}

export interface Known {
  $ref?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
  type?: string | readonly string[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  pattern?: string;
}

export function resolve(ref: string, root: Root): JsonSchema {
  const found = root.components.schemas[ref.replace("#/components/schemas/", "")];
  if (found === undefined) throw new Error(`${ref} leads nowhere`);
  return found;
}

function isOf(type: string | readonly string[], value: unknown): boolean {
  if (typeof type !== "string") return type.some((each) => isOf(each, value));
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function boundsOf(schema: Known, value: unknown, at: string): string[] {
  const { minLength = 0, maxLength = Infinity, minimum = -Infinity, maximum = Infinity, exclusiveMinimum } = schema;
  if (typeof value === "number") {
    const above = exclusiveMinimum === undefined || value > exclusiveMinimum;
    return above && value >= minimum && value <= maximum ? [] : [`${at}: ${value} is out of bounds`];
  }
  if (typeof value === "string") {
    const fits = value.length >= minLength && value.length <= maxLength;
    const matches = schema.pattern === undefined || new RegExp(schema.pattern, "u").test(value);
    return fits && matches ? [] : [`${at}: the text does not fit`];
  }
  if (!Array.isArray(value)) return [];
  const { minItems = 0, maxItems = Infinity } = schema;
  return value.length >= minItems && value.length <= maxItems ? [] : [`${at}: ${value.length} are too many or too few`];
}

function partsOf(schema: Known, value: unknown, root: Root, at: string): string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((each, n) => violations(items, each, root, `${at}[${n}]`));
  }
  if (typeof value !== "object" || value === null) return [];
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const missing = required.filter((key) => !Object.hasOwn(value, key)).map((key) => `${at}.${key}: is missing`);
  const wrong = Object.entries(value).flatMap(([key, each]) => {
    const own = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (own === false) return [`${at}.${key}: is not in the schema`];
    return typeof own === "object" ? violations(own, each, root, `${at}.${key}`) : [];
  });
  return [...missing, ...wrong];
}
