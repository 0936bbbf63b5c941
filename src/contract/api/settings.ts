import { z } from "zod";
import { channelNames } from "../notify.ts";
import { routes } from "./route.ts";
import { inProject, Time } from "./values.ts";

const Limits = z.object({
  max_cost_usd: z.number().positive().optional(),
  max_tokens: z.number().int().positive().optional(),
  max_turns: z.number().int().positive().optional(),
  max_time_s: z.number().positive().max(1e10).optional(),
});
const SpentItem = z.object({ cost_usd: z.number(), tokens: z.number(), turns: z.number(), time_s: z.number() });
const Budget = z.object({
  project: z.string(),
  since: z.string(),
  limits: Limits,
  spent: SpentItem,
  level: z.enum(["ok", "near", "over"]),
  text: z.string(),
});

export const TokenItem = z.object({
  id: z.string(),
  name: z.string(),
  scope: z.enum(["read", "import", "all"]),
  created: Time,
  last_used: Time.optional(),
});
export type TokenItem = z.infer<typeof TokenItem>;

export const settingsRoutes = routes({
  "GET /budgets": {
    tag: "settings",
    summary: "Budgets of projects.",
    access: "read",
    result: z.object({ items: z.array(Budget) }),
  },
  "PUT /budgets/{project}": {
    tag: "settings",
    summary: "Set a project's budget; it counts from now, or from `since`.",
    access: "all",
    params: inProject,
    body: Limits.strict().extend({ since: z.string().max(40).optional() }),
    result: Budget,
  },
  "DELETE /budgets/{project}": {
    tag: "settings",
    summary: "Remove it.",
    access: "all",
    params: inProject,
    result: "nothing",
  },
  "GET /tokens": {
    tag: "settings",
    summary: "Tokens; never their values.",
    access: "all",
    result: z.object({ items: z.array(TokenItem) }),
  },
  "POST /tokens": {
    tag: "settings",
    summary: "Make a token; its value is shown this once.",
    access: "all",
    body: z.strictObject({ name: z.string().min(1).max(64), scope: z.enum(["read", "import", "all"]) }),
    result: TokenItem.extend({ token: z.string() }),
  },
  "DELETE /tokens/{token}": {
    tag: "settings",
    summary: "Revoke it.",
    access: "all",
    params: z.object({ token: z.string().regex(/^[\w-]{1,64}$/) }),
    result: "nothing",
  },
  "GET /notifications": {
    tag: "settings",
    summary: "How people are told; what waits to be sent.",
    access: "read",
    result: z.object({
      channels: z.array(z.object({ channel: z.enum(channelNames), on: z.boolean(), detail: z.string() })),
      waiting: z.number().int(),
      failed: z.array(z.object({ channel: z.string(), title: z.string(), error: z.string(), at: z.string() })),
    }),
  },
  "PUT /notifications/{channel}": {
    tag: "settings",
    summary: "Set a channel up, or switch it off (null).",
    access: "all",
    params: z.object({ channel: z.enum(channelNames) }),
    body: z.strictObject({
      url: z.url({ protocol: /^https?$/ }).optional(),
      secret: z.string().max(400).optional(),
      command: z.string().max(4096).optional(),
      on: z.boolean(),
    }),
    result: "nothing",
  },
  "POST /notifications/test": {
    tag: "settings",
    summary: "Send a test message by every channel.",
    access: "all",
    result: z.object({
      items: z.array(z.object({ channel: z.string(), ok: z.boolean(), error: z.string().optional() })),
    }),
  },
});

const Row = z.object({
  day: z.string(),
  agent: z.string(),
  project: z.string(),
  runs: z.number().int(),
  failed: z.number().int(),
  cost_usd: z.number(),
  tokens: z.number(),
  duration_s: z.number(),
});

export const figureRoutes = routes({
  "GET /stats": {
    tag: "figures",
    summary: "Cost, tokens and durations per day, agent and project.",
    access: "read",
    query: z.object({ days: z.coerce.number().int().min(1).max(366).default(30) }),
    result: z.object({ rows: z.array(Row), since: z.string() }),
  },
});
