import { z } from "zod";
import { routes } from "./route.ts";
import { Name } from "./values.ts";

export const AgentItem = z.object({
  id: z.string(),
  name: z.string(),
  protocol: z.string(),
  installed: z.boolean(),
  version: z.string(),
  program: z.string(),
  login: z.object({ state: z.string(), how: z.string().optional() }),
  /** What is missing, and what to do about it. */
  hint: z.string().optional(),
  models: z.array(z.object({ value: z.string(), label: z.string() })),
  default_model: z.string(),
  default_profile: z.string(),
  /** Switches of its definition: the form of a profile is made of them. */
  permission_settings: z.array(
    z.object({ id: z.string(), label: z.string(), description: z.string().optional(), default: z.boolean() }),
  ),
  source: z.enum(["built-in", "yours"]),
});
export type AgentItem = z.infer<typeof AgentItem>;

export const ProfileItem = z.object({
  name: z.string(),
  /** As in its file; secret values are shown as references, or as "set". */
  profile: z.record(z.string(), z.unknown()),
  problem: z.string().optional(),
});

export type ProfileItem = z.infer<typeof ProfileItem>;

const agentParams = z.object({ agent: Name });
const profileParams = z.object({ profile: Name });

export const agentRoutes = routes({
  "GET /agents": {
    tag: "agents",
    summary: "Agents and whether they are ready.",
    access: "read",
    result: z.object({ items: z.array(AgentItem) }),
  },
  "GET /agents/{agent}": {
    tag: "agents",
    summary: "One of them.",
    access: "read",
    params: agentParams,
    result: AgentItem,
  },
  "POST /agents/{agent}/test": {
    tag: "agents",
    summary: "Try it: start it, say hello, end it.",
    access: "all",
    params: agentParams,
    body: z.strictObject({ profile: Name.optional() }).prefault({}),
    result: z.object({ ok: z.boolean(), text: z.string(), duration_ms: z.number() }),
  },
  "GET /profiles": {
    tag: "agents",
    summary: "Profiles.",
    access: "read",
    result: z.object({ items: z.array(ProfileItem) }),
  },
  "GET /profiles/{profile}": {
    tag: "agents",
    summary: "One of them.",
    access: "read",
    params: profileParams,
    result: ProfileItem,
  },
  "PUT /profiles/{profile}": {
    tag: "agents",
    summary: "Make it, or change single keys; null removes one.",
    access: "all",
    params: profileParams,
    body: z.record(z.string(), z.unknown()),
    result: ProfileItem,
  },
  "DELETE /profiles/{profile}": {
    tag: "agents",
    summary: "Remove it.",
    access: "all",
    params: profileParams,
    result: "nothing",
  },
  "POST /profiles/preview": {
    tag: "agents",
    summary: "The exact command that an agent would be started with.",
    access: "read",
    body: z.strictObject({
      agent: Name,
      profile: z.record(z.string(), z.unknown()).default({}),
      workspace: z.string().max(4096).optional(),
    }),
    result: z.object({
      commandline: z.string(),
      env: z.array(z.string()).describe("names of the variables it sets"),
      problem: z.string().optional(),
    }),
  },
});
