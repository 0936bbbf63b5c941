import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type ApiKey, api } from "../../../contract/api/index.ts";
import type { RouteSpec } from "../../../contract/api/route.ts";
import { AppError } from "../../../contract/errors.ts";
import { handleIn } from "../../../contract/ids.ts";
import type { Exchange, Identity, Method, Reply, Route } from "../../../lib/http/route.ts";
import type { Caller, Handlers } from "./handlers.ts";
import { hash, type Idempotency } from "./idempotency.ts";

export const API = "/api/v1";
const MIB = 1024 * 1024;

/** Bodies that may be larger than the others, and the one that anybody may send. */
const BODY_LIMITS: Partial<Record<ApiKey, number>> = {
  "POST /attachments": 10 * MIB,
  "POST /runs/import": 64 * MIB,
  "POST /login": 4096,
};

/** What is given to a handler, before its types are known. */
type AnyHandler = (given: { params: unknown; query: unknown; body: unknown }, caller: Caller) => unknown;

export interface ApiOptions {
  handlers: Handlers<ApiKey>;
  idempotency: Idempotency;
  /** How the caller is named where something is decided. */
  nameOf(identity: Identity | undefined): string;
  /** The id of the run that people call by this number. */
  runOfHandle(number: number): string | undefined;
  /** Compare each answer with its schema: for tests, so that the document stays true. */
  checkResults: boolean;
}

/** The table and its handlers, joined: what comes in is checked, what goes out has its status, tag and type. */
export function apiRoutes(options: ApiOptions): Route[] {
  const handlers: Readonly<Record<string, AnyHandler>> = options.handlers as never;
  const stray = Object.keys(handlers).filter((key) => !Object.hasOwn(api, key));
  const missing = Object.keys(api).filter((key) => !Object.hasOwn(handlers, key));
  if (stray.length + missing.length > 0) {
    throw new Error(
      `the API and its handlers differ: no route for ${stray.join(", ")}; no handler for ${missing.join(", ")}`,
    );
  }
  return Object.entries<RouteSpec>(api).map(([key, spec]) => {
    const [method, path] = key.split(" ") as [Method, string];
    const handler = handlers[key] as AnyHandler;
    return {
      method,
      path: API + path,
      access: spec.access,
      ...(spec.body === "bytes" ? { accepts: ["*/*"] } : {}),
      handle: (exchange) => answer(key as ApiKey, spec, handler, exchange, options),
    };
  });
}

async function answer(
  key: ApiKey,
  spec: RouteSpec,
  handler: AnyHandler,
  exchange: Exchange,
  { idempotency, nameOf, runOfHandle, checkResults }: ApiOptions,
): Promise<Reply | undefined> {
  const by = nameOf(exchange.identity);
  const params = spec.params && check("path", spec.params, byId(exchange.params, runOfHandle));
  const query = spec.query && check("query", spec.query, queryOf(exchange.url));
  const limit = BODY_LIMITS[key];
  const bytes = spec.body === undefined ? undefined : await exchange.bytes(limit);
  const body =
    spec.body === undefined || spec.body === "bytes" ? bytes : check("body", spec.body, await exchange.json(limit));
  const work = async () => {
    const result = await handler({ params, query, body }, { by, exchange });
    if (spec.result === "file" || spec.result === "events") return undefined; // it wrote the response itself
    if (spec.result === "nothing") return { status: 204, json: undefined };
    if (checkResults) checkResult(key, spec.result, result);
    return { status: spec.creates ? 201 : 200, json: result };
  };
  const idempotencyKey = exchange.request.headers["idempotency-key"];
  if (spec.creates && typeof idempotencyKey === "string") {
    const request = hash(`${key} ${exchange.url.pathname}${exchange.url.search} ${hash(bytes ?? "")}`);
    const { again, ...answered } = await idempotency.once(by, idempotencyKey, request, async () => {
      const done = await work();
      if (done === undefined) throw new Error(`${key} makes something and says nothing`);
      return done;
    });
    return { ...answered, headers: again ? { "idempotent-replayed": "true" } : {} };
  }
  const done = await work();
  if (done?.json === undefined || !key.startsWith("GET ")) return done;
  return withTag(done.json, exchange.request.headers["if-none-match"]);
}

/** Handlers know runs by their ids alone. */
function byId(params: Exchange["params"], runOfHandle: ApiOptions["runOfHandle"]): Exchange["params"] {
  const { run } = params;
  const number = run === undefined ? undefined : handleIn(run);
  if (number === undefined) return params;
  const id = runOfHandle(number);
  if (id === undefined) throw new AppError("run.not_found", `run ${run}: there is no such run`);
  return { ...params, run: id };
}

/** The first thing that is wrong, by its place: `query.limit: too big`. All of them in the details. */
function check(where: string, schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
    in: where,
    field: path.map(String).join("."),
    message,
  }));
  const [first] = issues;
  const place = [where, first?.field].filter((part) => part !== undefined && part !== "").join(".");
  throw new AppError("http.invalid", `${place}: ${first?.message ?? "invalid"}`, { issues });
}

function queryOf(url: URL): Record<string, string> {
  const pairs = [...url.searchParams];
  const names = new Set(pairs.map(([name]) => name));
  if (names.size < pairs.length) throw new AppError("http.invalid", "query: a parameter is given twice");
  return Object.fromEntries(pairs);
}

/** What is sent must be what the document promises, no field less and none more. */
function checkResult(key: ApiKey, schema: z.ZodType, result: unknown): void {
  const sent: unknown = JSON.parse(JSON.stringify(result) ?? "null");
  const parsed = schema.safeParse(sent);
  if (!parsed.success) throw new Error(`${key}: its result is not what the API says: ${z.prettifyError(parsed.error)}`);
  const promised: unknown = JSON.parse(JSON.stringify(parsed.data) ?? "null");
  if (!isDeepStrictEqual(promised, sent)) {
    throw new Error(`${key}: its result has fields that the API does not know: ${JSON.stringify(sent).slice(0, 400)}`);
  }
}

/** A page that asks every few seconds gets the answer again only if it changed. */
function withTag(json: unknown, known: string | undefined): Reply {
  const text = JSON.stringify(json);
  const tag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  const headers = { etag: tag, "cache-control": "private, no-cache" };
  const same = known?.split(",").some((each) => each.trim().replace(/^W\//, "") === tag || each.trim() === "*");
  if (same) return { status: 304, headers };
  return { headers: { ...headers, "content-type": "application/json" }, text };
}
