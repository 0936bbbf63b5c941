import type { z } from "zod";

/**
 * What a token must be good for: `open` asks nobody, `import` is that one route, `all` includes `read`; `run` takes only the
 * token that a live run gave to its agent.
 */
export type RouteAccess = "open" | "read" | "import" | "all" | "run";

export const routeTags = [
  "runs",
  "sessions",
  "workspace",
  "review",
  "tasks",
  "bus",
  "requests",
  "agents",
  "settings",
  "figures",
  "streams",
  "terminals",
  "cluster",
  "operations",
  "self",
] as const;
export type RouteTag = (typeof routeTags)[number];

/**
 * One operation of the HTTP API, as data: the server checks with it, the client and the page take their types from it, and the
 * OpenAPI document is made of it. Its key is `METHOD /path`, below `/api/v1`.
 */
export interface RouteSpec {
  tag: RouteTag;
  summary: string;
  access: RouteAccess;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** JSON, or bytes as they are. */
  body?: z.ZodType | "bytes";
  /** JSON, nothing (204), a file's bytes (by range), or server-sent events. */
  result: z.ZodType | "nothing" | "file" | "events";
  /** Makes something: 201, and an Idempotency-Key is honoured. */
  creates?: true;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type RouteKey = `${Method} /${string}`;

/** Keeps the exact types of a part of the table. */
export const routes = <const Table extends Readonly<Record<RouteKey, RouteSpec>>>(table: Table): Table => table;
