import type { z } from "zod";
import { agentRoutes } from "./agents.ts";
import { clusterRoutes } from "./cluster.ts";
import { operationRoutes, streamRoutes } from "./operations.ts";
import { requestRoutes } from "./requests.ts";
import type { RouteSpec } from "./route.ts";
import { runRoutes } from "./runs.ts";
import { selfRoutes } from "./self.ts";
import { sessionRoutes } from "./sessions.ts";
import { figureRoutes, settingsRoutes } from "./settings.ts";
import { busRoutes, taskRoutes } from "./tasks.ts";
import { terminalRoutes } from "./terminals.ts";
import { reviewRoutes, workspaceRoutes } from "./workspace.ts";

/** Every operation below `/api/v1`. */
export const api = {
  ...runRoutes,
  ...sessionRoutes,
  ...workspaceRoutes,
  ...reviewRoutes,
  ...taskRoutes,
  ...busRoutes,
  ...requestRoutes,
  ...agentRoutes,
  ...settingsRoutes,
  ...figureRoutes,
  ...streamRoutes,
  ...terminalRoutes,
  ...clusterRoutes,
  ...operationRoutes,
  ...selfRoutes,
};
export type Api = typeof api;
export type ApiKey = keyof Api;

type Schema<K extends ApiKey, Part extends keyof RouteSpec> = Api[K] extends Record<Part, infer S> ? S : undefined;
type In<S> = S extends z.ZodType ? z.input<S> : S extends "bytes" ? Uint8Array : undefined;
type Out<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a caller gives: only what the operation has, and what has defaults may be left out. */
export type Call<K extends ApiKey> = Given<"params", In<Schema<K, "params">>> &
  Given<"query", In<Schema<K, "query">>> &
  Given<"body", In<Schema<K, "body">>>;
type Given<Name extends string, Value> = [Value] extends [undefined]
  ? unknown
  : undefined extends Value
    ? { [N in Name]?: Value }
    : Partial<Value> extends Value
      ? { [N in Name]?: Value }
      : { [N in Name]: Value };

/** What it gets back as JSON; `undefined` where there is none. */
export type Result<K extends ApiKey> = Out<Schema<K, "result">>;

/** What the server's side of it is given, checked and with its defaults. */
export interface Checked<K extends ApiKey> {
  params: Out<Schema<K, "params">>;
  query: Out<Schema<K, "query">>;
  body: Schema<K, "body"> extends "bytes" ? Uint8Array : Out<Schema<K, "body">>;
}
