import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type JsonSchema,
  type OpenApi,
  type Operation,
  openApi,
  type Parameter,
} from "../src/faces/server/api/openapi.ts";

/** docs/user/api.md, made of the OpenAPI document: a page to read, from what the server checks with. */
const path = join(import.meta.dirname, "../docs/user/api.md");

export const readReference = (): string => readFileSync(path, "utf8");
export const writeReference = (): void => writeFileSync(path, renderReference());

export function renderReference(document: OpenApi = openApi()): string {
  const operations = Object.entries(document.paths).flatMap(([at, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ title: `${method.toUpperCase()} ${at}`, operation })),
  );
  const sections = document.tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return [`## ${name}`, ...own.map(({ title, operation }) => operationText(title, operation))].join("\n\n");
  });
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => schemaText(name, schema));
  return `${[HEAD, ...sections, "## Types", ...schemas].join("\n\n").replace(/ +$/gm, "")}\n`;
}

const HEAD = `# The HTTP API

Every operation of a [server](serve.md), below \`/api/v1\`. The same as a document for programs: \`GET /api/v1/openapi.json\`.

- **Who**: \`Authorization: Bearer TOKEN\`. "needs" says which scope the token must carry; \`all\` includes each of them.
- **Errors** are [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) problems, see [Problem](#problem): go by \`code\`.
- **Pages**: a result with \`next\` goes on with \`?cursor=\` that value.
- **Making something** answers 201. Send an \`Idempotency-Key\` of your own, and the same request again within a day makes nothing
  new and gets the same answer.
- **Asking again**: a GET that answers JSON has an \`ETag\`; with \`If-None-Match\` it answers 304 while nothing has changed.
- **Bodies** are JSON with \`Content-Type: application/json\`, unless it says bytes. A name with \`?\` may be left out.`;

function operationText(
  title: string,
  { summary, security, parameters = [], requestBody, responses }: Operation,
): string {
  const scope = security.find((each) => each.token !== undefined)?.token?.[0];
  const lines = [`### \`${title}\``, "", `${summary} Needs ${scope === undefined ? "nothing" : `\`${scope}\``}.`];
  const asked = parameters.filter(({ in: place }) => place === "query");
  const items = [
    ...asked.map(parameterText),
    ...(requestBody === undefined ? [] : [`- body: ${mediaText(requestBody.content)}`]),
    `- answers ${answersText(responses)}`,
  ];
  return [...lines, "", ...items].join("\n");
}

function parameterText({ name, required, description, schema }: Parameter): string {
  const about = description === undefined ? "" : `: ${description}`;
  return `- \`?${name}=\` ${required ? "(required) " : ""}${typeText(schema)}${about}`;
}

function answersText(responses: Operation["responses"]): string {
  const [status = "", { content } = { content: undefined }] = Object.entries(responses)[0] ?? [];
  if (content === undefined) return `${status}, nothing`;
  return `${status}: ${mediaText(content)}`;
}

function mediaText(content: Record<string, { schema: JsonSchema }>): string {
  const [type = "", { schema } = { schema: {} }] = Object.entries(content)[0] ?? [];
  if (type === "text/event-stream") return "server-sent events";
  return type === "*/*" ? "bytes" : fieldsText(schema);
}

/** A few fields on the same line, more of them on lines of their own. */
function fieldsText(schema: JsonSchema): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  if (properties.length <= 3) return typeText(schema);
  return properties.map(([key, value]) => `\n  - ${fieldText(schema, key, value)}`).join("");
}

const fieldText = (schema: JsonSchema, key: string, value: JsonSchema): string =>
  `\`${key}${isRequired(schema, key) ? "" : "?"}\` ${typeText(value)}${about(value)}`;

function schemaText(name: string, schema: JsonSchema): string {
  const variants = (schema.oneOf ?? schema.anyOf) as JsonSchema[] | undefined;
  if (variants !== undefined)
    return [`### ${name}`, "One of:", variants.map((each) => `- ${typeText(each)}`).join("\n")].join("\n\n");
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const rows = properties.map(([key, value]) => `- ${fieldText(schema, key, value)}`);
  return [`### ${name}`, rows.length === 0 ? typeText(schema) : rows.join("\n")].join("\n\n");
}

const about = ({ description }: JsonSchema): string => (typeof description === "string" ? `: ${description}` : "");
const isRequired = (schema: JsonSchema, key: string): boolean =>
  (schema.required as string[] | undefined)?.includes(key) === true;

/** A schema on one line, as TypeScript would nearly write it. */
function typeText(schema: JsonSchema): string {
  const {
    $ref,
    const: only,
    enum: values,
    type,
    oneOf,
    anyOf,
    allOf,
  } = schema as {
    $ref?: string;
    const?: unknown;
    enum?: unknown[];
    type?: string;
    oneOf?: JsonSchema[];
    anyOf?: JsonSchema[];
    allOf?: JsonSchema[];
  };
  if ($ref !== undefined) return refText($ref);
  if (only !== undefined) return code(JSON.stringify(only));
  if (values !== undefined) return values.map((value) => code(JSON.stringify(value))).join(" or ") + orDefault(schema);
  const variants = oneOf ?? anyOf;
  if (variants !== undefined) return variants.map(typeText).join(" or ");
  if (allOf !== undefined) return allOf.map(typeText).join(" and ");
  switch (type) {
    case "array":
      return `list of ${typeText((schema.items ?? {}) as JsonSchema)}`;
    case "object":
      return objectText(schema);
    case "string":
      return `text${limits(schema.minLength, schema.maxLength, " characters")}${orDefault(schema)}`;
    case "integer":
      return `whole number${limits(schema.minimum, schema.maximum)}${orDefault(schema)}`;
    case "number":
      return `number${orDefault(schema)}`;
    case undefined:
      return "anything";
    default:
      return `${type}${orDefault(schema)}`;
  }
}

function objectText(schema: JsonSchema): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  if (properties.length > 0) {
    const inner = properties.map(
      ([key, value]) => `\`${key}${isRequired(schema, key) ? "" : "?"}\` ${typeText(value)}`,
    );
    return `{ ${inner.join(", ")} }`;
  }
  const values = schema.additionalProperties;
  return typeof values === "object" && values !== null && Object.keys(values).length > 0
    ? `object of ${typeText(values as JsonSchema)}`
    : "object";
}

function refText(ref: string): string {
  const name = ref.split("/").at(-1) ?? "";
  return `[${name}](#${name.toLowerCase()})`;
}

/** Bounds that only say "fits into a number" are left out. */
function limits(min: unknown, max: unknown, unit = ""): string {
  const low = typeof min === "number" && Math.abs(min) < Number.MAX_SAFE_INTEGER ? min : undefined;
  const high = typeof max === "number" && Math.abs(max) < Number.MAX_SAFE_INTEGER ? max : undefined;
  if (low === undefined && high === undefined) return "";
  if (high === undefined) return ` from ${low}${unit}`;
  return low === undefined ? ` up to ${high}${unit}` : ` ${low} to ${high}${unit}`;
}

const orDefault = (schema: JsonSchema): string =>
  schema.default === undefined ? "" : ` (${code(JSON.stringify(schema.default))})`;
const code = (text: string): string => `\`${text}\``;
