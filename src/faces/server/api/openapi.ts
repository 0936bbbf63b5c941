import { z } from "zod";
import { AgentItem } from "../../../contract/api/agents.ts";
import { api } from "../../../contract/api/index.ts";
import { AuditRecord, Rule } from "../../../contract/api/requests.ts";
import { type RouteSpec, routeTags } from "../../../contract/api/route.ts";
import { RunDetail } from "../../../contract/api/runs.ts";
import { TokenItem } from "../../../contract/api/settings.ts";
import { OpenRequestItem, Problem, RunItem, TaskItem } from "../../../contract/api/values.ts";
import { FileChangeItem } from "../../../contract/api/workspace.ts";
import { AgentEvent, Content, RecordedEvent } from "../../../contract/events.ts";
import { VERSION } from "../../../lib/base/version.ts";
import { API } from "./api-routes.ts";

export type JsonSchema = { [key: string]: unknown };

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Media };
  responses: Record<string, ResponseObject>;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

type Media = Record<string, { schema: JsonSchema }>;
type ResponseObject = { description: string; headers?: Record<string, { schema: JsonSchema }>; content?: Media };

export interface OpenApi {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, JsonSchema> };
}

/** OpenAPI 3.1, made of the table: the same table that the server checks with. The same text each time. */
export function openApi(): OpenApi {
  const schemas = new Components();
  schemas.of(Problem, "output");
  const paths: OpenApi["paths"] = {};
  for (const [key, spec] of Object.entries<RouteSpec>(api)) {
    const [method = "", path = ""] = key.split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(method, path, spec, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Coxswain",
      version: VERSION,
      description: "Every run on the machine: look at it, talk to it, answer it, start it, stop it.",
    },
    servers: [{ url: API }],
    tags: routeTags.map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.all,
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token of `cox token new`, or the server's own." },
        cookie: {
          type: "apiKey",
          in: "cookie",
          name: "cox-PORT",
          description: "Set by POST /login; PORT is the server's.",
        },
      },
    },
  };
}

function operation(method: string, path: string, spec: RouteSpec, schemas: Components): Operation {
  const parameters = [
    ...parametersOf("path", spec.params, schemas),
    ...parametersOf("query", spec.query, schemas),
    ...(spec.creates ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId: operationId(method, path),
    tags: [spec.tag],
    summary: spec.summary,
    // OpenAPI 3.1 lets any scheme name roles: here the scope that the token must carry.
    security: spec.access === "open" ? [] : [{ token: [spec.access] }, { cookie: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(spec.body === undefined ? {} : { requestBody: requestBody(spec.body, schemas) }),
    responses: { ...success(spec, schemas), ...NOT_MODIFIED(method, spec), default: PROBLEM },
  };
}

const IDEMPOTENCY_KEY: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "The same key and body again within a day make nothing new and get the same answer.",
  schema: { type: "string", minLength: 1, maxLength: 256, pattern: "^[!-~]+$" },
};

const PROBLEM: ResponseObject = {
  description: "It was refused, or failed: RFC 9457.",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

const NOT_MODIFIED = (method: string, { result }: RouteSpec): Record<string, ResponseObject> =>
  method === "GET" && typeof result !== "string" ? { "304": { description: "As If-None-Match has it." } } : {};

/** `GET /runs/{run}/events` → `getRunsRunEvents` */
function operationId(method: string, path: string): string {
  const words = path.split(/[^a-zA-Z0-9]+/).filter((word) => word !== "");
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function parametersOf(place: "path" | "query", object: z.ZodObject | undefined, schemas: Components): Parameter[] {
  if (object === undefined) return [];
  const { properties = {}, required = [] } = schemas.of(object, "input") as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(typeof description === "string" ? { description } : {}),
    schema,
  }));
}

function requestBody(body: z.ZodType | "bytes", schemas: Components): NonNullable<Operation["requestBody"]> {
  if (body === "bytes") return { required: true, content: { "*/*": { schema: {} } } };
  const required = !body.safeParse(undefined).success;
  return { required, content: { "application/json": { schema: schemas.of(body, "input") } } };
}

function success({ result, creates }: RouteSpec, schemas: Components): Record<string, ResponseObject> {
  if (result === "nothing") return { "204": { description: "Done." } };
  if (result === "events") {
    return { "200": { description: "Server-sent events.", content: { "text/event-stream": { schema: TEXT } } } };
  }
  if (result === "file") {
    const content = { "*/*": { schema: {} } };
    return {
      "200": { description: "The bytes.", content },
      "206": { description: "The range of them that was asked for.", content },
    };
  }
  const content = { "application/json": { schema: schemas.of(result, "output") } };
  return creates ? { "201": { description: "Made.", content } } : { "200": { description: "As asked.", content } };
}

const TEXT: JsonSchema = { type: "string" };

/** Schemas with a name stand once, under `components`; the others where they are used. */
class Components {
  readonly all: Record<string, JsonSchema> = {};
  readonly #named = new Named();

  of(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const made = z.toJSONSchema(schema, { io, metadata: this.#named, unrepresentable: "any" });
    const { $schema: _, $defs = {}, ...own } = made as JsonSchema & { $defs?: Record<string, JsonSchema> };
    const names = new Map(Object.keys($defs).map((id) => [id, io === "input" ? `${id}Input` : id]));
    for (const [id, name] of names) this.all[name] ??= tidy($defs[id], names, io) as JsonSchema;
    const id = this.#named.get(schema).id;
    if (id === undefined) return tidy(own, names, io) as JsonSchema;
    const { id: __, ...named } = tidy(own, names, io) as JsonSchema;
    this.all[id] ??= named;
    return { $ref: `#/components/schemas/${id}` };
  }
}

/** What schemas say of themselves, and the names of those that have one. */
class Named extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  readonly #ids = new Map(Object.entries(NAMED).map(([id, schema]): [unknown, string] => [schema, id]));

  override get(schema: z.core.$ZodType) {
    const id = this.#ids.get(schema);
    return { ...z.globalRegistry.get(schema), ...(id === undefined ? {} : { id }) };
  }
}

const NAMED: Readonly<Record<string, z.ZodType>> = {
  Problem,
  RunItem,
  RunDetail,
  TaskItem,
  OpenRequestItem,
  AgentEvent,
  RecordedEvent,
  Content,
  FileChangeItem,
  AgentItem,
  Rule,
  AuditRecord,
  TokenItem,
};

/**
 * References inside one schema become references inside the document, and ids that the generator leaves behind go. Answers may
 * grow: they are not closed, as an `allOf` of closed objects could not be anything.
 */
function tidy(value: unknown, names: ReadonlyMap<string, string>, io: "input" | "output"): unknown {
  if (Array.isArray(value)) return value.map((each) => tidy(each, names, io));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (key === "id" && typeof inner === "string" && names.has(inner)) return [];
    if (key === "additionalProperties" && inner === false && io === "output") return [];
    if (key !== "$ref" || typeof inner !== "string") return [[key, tidy(inner, names, io)]];
    const id = inner.replace("#/$defs/", "");
    return [[key, `#/components/schemas/${names.get(id) ?? id}`]];
  });
  return Object.fromEntries(entries);
}
