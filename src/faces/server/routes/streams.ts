import { join } from "node:path";
import type { streamRoutes } from "../../../contract/api/operations.ts";
import { AppError } from "../../../contract/errors.ts";
import type { Exchange } from "../../../lib/http/route.ts";
import type { Handlers } from "../api/handlers.ts";
import type { ServerPorts } from "../ports.ts";
import type { Runs } from "../runs/runs.ts";
import type { Streams } from "../streams/streams.ts";
import { requireTask } from "./tasks.ts";

export function streamHandlers(
  { home }: ServerPorts,
  runs: Runs,
  streams: Streams,
): Handlers<keyof typeof streamRoutes> {
  return {
    "GET /runs/{run}/stream": async ({ params: { run }, query }, { exchange }) => {
      const after = numberOf(lastId(exchange, query.last_event_id)) ?? query.after ?? 0;
      await streams.run(run, after, typesOf(query.types), exchange);
      return undefined;
    },

    "GET /runs/{run}/files/{file}/stream": async ({ params: { run, file }, query }, { exchange }) => {
      const from = numberOf(lastId(exchange, query.last_event_id)) ?? query.from ?? 0;
      await streams.file(run, join(runs.index.require(run).paths.dir, file), from, exchange);
      return undefined;
    },

    "GET /tasks/{project}/{task}/stream": async ({ params, query }, { exchange }) => {
      requireTask(home, params);
      const cursor = lastId(exchange, query.last_event_id);
      await streams.scope(params, cursor === undefined ? query.from : { cursor }, typesOf(query.types), exchange);
      return undefined;
    },

    "GET /stream": async ({ query }, { exchange }) => {
      const cursor = lastId(exchange, query.last_event_id);
      await streams.scope(undefined, cursor === undefined ? query.from : { cursor }, typesOf(query.types), exchange);
      return undefined;
    },
  };
}

/** What a client sends by itself when it connects again counts more than what its address says. */
function lastId({ request }: Exchange, inQuery: string | undefined): string | undefined {
  const header = request.headers["last-event-id"];
  return (typeof header === "string" && header !== "" ? header : inQuery) || undefined;
}

function numberOf(id: string | undefined): number | undefined {
  if (id === undefined) return undefined;
  if (/^\d{1,15}$/.test(id)) return Number(id);
  throw new AppError("usage.invalid", "Last-Event-ID: not one of this stream; begin again without it");
}

const typesOf = (text: string | undefined): ReadonlySet<string> | undefined =>
  text === undefined || text === "" ? undefined : new Set(text.split(",").map((type) => type.trim()));
