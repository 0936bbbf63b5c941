import { z } from "zod";
import { permissionModes } from "../../../contract/requests/policy.ts";
import { executorNames } from "../../../contract/runs/run.ts";
import { toolKinds } from "../../../contract/tool-kinds.ts";

const mode = z.enum(permissionModes);
const variables = z.record(z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of a variable"), z.string());

const McpEntry = z
  .strictObject({
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    env: variables.default({}),
    type: z.enum(["http", "sse"]).default("http"),
    url: z.url({ protocol: /^https?$/ }).optional(),
    headers: z.record(z.string(), z.string()).default({}),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), "give either command or url");
export type McpEntry = z.infer<typeof McpEntry>;

/** Agent, model, keys, policy and tools under one name: `$COX_HOME/profiles/<name>.yaml`. */
export const Profile = z.strictObject({
  agent: z.string().min(1),
  model: z.string().min(1).optional(),
  base_url: z
    .url({ protocol: /^https?$/, error: "must be an http or https address" })
    // It gets into arguments, which everybody on the machine can read.
    .refine((url) => !/^\w+:\/\/[^/]*@/.test(url), "must not contain a name or password; use token")
    .optional(),
  /** `env:NAME`, `file:PATH`, or the value itself. */
  token: z.string().min(1).optional(),
  env: variables.optional(),
  /** One mode for everything, or one per kind of tool and a default. */
  permissions: z.union([mode, z.partialRecord(z.enum(["default", ...toolKinds]), mode)]).optional(),
  switches: z.record(z.string(), z.boolean()).optional(),
  mcp_servers: z.record(z.string(), McpEntry).optional(),
  /** Those of the run itself: the bus, questions to the person, children. */
  tools: z.enum(["on", "off"]).optional(),
  /** Whose settings, logins and history the agent uses. */
  home: z.enum(["own", "private"]).optional(),
  on: z.enum(executorNames).optional(),
  /** The container's, instead of the definition's; with a tag of its own. */
  image: z.string().min(1).optional(),
  /** Whether an isolated agent has one. */
  network: z.enum(["on", "off"]).optional(),
});
export type Profile = z.infer<typeof Profile>;
export const profileKeys = Object.keys(Profile.shape);
