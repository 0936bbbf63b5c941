import { z } from "zod";
import { ToolKind } from "../events.ts";
import { routes } from "./route.ts";
import { OpenRequestItem, page, paging } from "./values.ts";

/** One decision for one action, again and again: `rules/<id>.json`. */
export const Rule = z.object({
  id: z.string(),
  decision: z.enum(["allow", "deny"]),
  kind: ToolKind,
  /** The command, path or address, exactly. */
  match: z.string(),
  /** "" for all. */
  project: z.string(),
  agent: z.string(),
  created: z.string(),
  by: z.string(),
});
export type Rule = z.infer<typeof Rule>;

export const AuditRecord = z.object({
  at: z.string(),
  /** `request.resolved`, `rule.made`, `rule.removed`, `token.made`, `token.revoked`, `login`, `run.started`, `run.stopped` … */
  what: z.string(),
  who: z.string(),
  run: z.string().optional(),
  project: z.string().optional(),
  task: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

export const requestRoutes = routes({
  "GET /inbox": {
    tag: "requests",
    summary: "Everything agents wait for, the longest waiting first.",
    access: "read",
    result: z.object({ items: z.array(OpenRequestItem) }),
  },
  "GET /rules": {
    tag: "requests",
    summary: "Stored decisions.",
    access: "read",
    result: z.object({ items: z.array(Rule) }),
  },
  "POST /rules": {
    tag: "requests",
    summary: "Store a decision.",
    access: "all",
    body: z.strictObject({
      decision: z.enum(["allow", "deny"]),
      kind: ToolKind,
      match: z.string().min(1).max(65536),
      project: z.string().max(64).default(""),
      agent: z.string().max(64).default(""),
    }),
    result: Rule,
    creates: true,
  },
  "DELETE /rules/{rule}": {
    tag: "requests",
    summary: "Revoke it.",
    access: "all",
    params: z.object({ rule: z.string().regex(/^[\w-]{1,64}$/) }),
    result: "nothing",
  },
  "GET /audit": {
    tag: "requests",
    summary: "Who decided what, newest first.",
    access: "read",
    query: z.object({ ...paging }),
    result: page(AuditRecord),
  },
});
