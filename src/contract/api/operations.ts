import { z } from "zod";
import { routes } from "./route.ts";
import { Flag, inRun, inTask } from "./values.ts";

const following = z.object({
  /** For those who can't send a Last-Event-ID. */
  last_event_id: z.string().max(4096).optional(),
  /** Only these types of events, by comma. */
  types: z.string().max(400).optional(),
});

/**
 * Server-sent events. On a run's stream `id` is the event's seq. On the others `event` is the run's id, `ledger` (a record of
 * runs.jsonl) or `bus` (a message), and `id`, once per batch, an opaque cursor. Everywhere: `live` when history ends and the
 * present begins, `end` when a run's log or file is complete, `reset` when a client was too slow and must begin again from its
 * last id.
 */
export const streamRoutes = routes({
  "GET /runs/{run}/stream": {
    tag: "streams",
    summary: "A run's events, from the beginning, or after Last-Event-ID.",
    access: "read",
    params: inRun,
    query: following.extend({ after: z.coerce.number().int().min(0).optional() }),
    result: "events",
  },
  "GET /runs/{run}/files/{file}/stream": {
    tag: "streams",
    summary: "What the agent prints, as it prints it (base64 of its bytes; id is the offset).",
    access: "read",
    params: inRun.extend({ file: z.enum(["agent-stdout.txt", "agent-stderr.txt", "terminal.cast"]) }),
    query: following.pick({ last_event_id: true }).extend({ from: z.coerce.number().int().min(0).optional() }),
    result: "events",
  },
  "GET /tasks/{project}/{task}/stream": {
    tag: "streams",
    summary: "A task's runs and its bus.",
    access: "read",
    params: inTask,
    query: following.extend({ from: z.enum(["start", "now"]).default("start") }),
    result: "events",
  },
  "GET /stream": {
    tag: "streams",
    summary: "Everything: all runs, the ledger, the buses.",
    access: "read",
    query: following.extend({ from: z.enum(["start", "now"]).default("start") }),
    result: "events",
  },
});

export const operationRoutes = routes({
  "POST /login": {
    tag: "operations",
    summary: "Exchange the one-time key of the printed address for a cookie.",
    access: "open",
    body: z.strictObject({ key: z.string().max(128) }),
    result: "nothing",
  },
  "POST /logout": { tag: "operations", summary: "Forget the cookie.", access: "read", result: "nothing" },
  "GET /version": {
    tag: "operations",
    summary: "Which Coxswain this is.",
    access: "read",
    result: z.object({
      version: z.string(),
      home: z.string(),
      cwd: z.string().describe("where the server was started: a good folder to begin in"),
      started: z.string(),
      who: z.string(),
      scope: z.enum(["read", "import", "all"]),
    }),
  },
  "GET /health": {
    tag: "operations",
    summary: "How it stands: disk, hosts, queue, clients.",
    access: "read",
    query: z.object({ verbose: Flag.optional() }),
    result: z.object({
      ok: z.boolean(),
      live_runs: z.number().int(),
      open_requests: z.number().int(),
      stream_clients: z.number().int(),
      disk_free_bytes: z.number(),
      uptime_s: z.number(),
    }),
  },
});
