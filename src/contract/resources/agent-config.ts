import { z } from "zod";
import { LocalReference, listMap, type ObjectMeta, rules } from "./object.ts";
import { EnvVar } from "./pod-overrides.ts";

const name = (what: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)
    .max(63)
    .describe(what)
    .meta(rules({ rule: "!self.contains('..')", message: "a name is one path segment" }));

const content = (what: string) => z.string().max(262_144).describe(what);

const secretRef = z.object({ secretRef: LocalReference.describe("A Secret; each of its keys is one entry.") });

export const McpServer = z
  .object({
    name: name("Name of the server, as the agent shows it."),
    type: z.enum(["stdio", "http", "sse"]).describe("How the agent reaches it."),
    command: z.string().max(1024).optional().describe("The program of a stdio server."),
    args: z.array(z.string().max(4096)).max(64).optional().describe("Its arguments."),
    url: z.string().max(2048).optional().describe("The address of an http or sse server."),
    headers: z.record(z.string(), z.string()).optional().describe("HTTP headers. Secrets belong into headersFrom."),
    headersFrom: secretRef.optional().describe("HTTP headers from a Secret. They win over headers."),
    env: z.array(EnvVar).max(64).optional().meta(listMap("name")).describe("Variables of a stdio server."),
    envFrom: secretRef.optional().describe("Variables from a Secret. They win over env."),
  })
  .meta(
    rules(
      { rule: "self.type != 'stdio' || has(self.command)", message: "a stdio server needs a command" },
      { rule: "self.type == 'stdio' || has(self.url)", message: "an http or sse server needs a url" },
    ),
  );
export type McpServer = z.infer<typeof McpServer>;

export const AgentConfigSpec = z.object({
  agentsMD: z.string().max(524_288).optional().describe("Instructions the agent reads before every prompt."),
  plugins: z
    .array(
      z.object({
        name: name("Name of the plugin."),
        skills: z
          .array(z.object({ name: name("Name of the skill."), content: content("Its SKILL.md.") }))
          .max(64)
          .optional()
          .meta(listMap("name"))
          .describe("Skills of the plugin."),
        agents: z
          .array(z.object({ name: name("Name of the sub-agent."), content: content("Its definition.") }))
          .max(64)
          .optional()
          .meta(listMap("name"))
          .describe("Sub-agents of the plugin."),
      }),
    )
    .max(32)
    .optional()
    .meta(listMap("name"))
    .describe("Skills and sub-agents."),
  mcpServers: z.array(McpServer).max(32).optional().meta(listMap("name")).describe("MCP servers the agent may use."),
});
export type AgentConfigSpec = z.infer<typeof AgentConfigSpec>;

export interface AgentConfig {
  apiVersion: string;
  kind: "AgentConfig";
  metadata: ObjectMeta;
  spec: AgentConfigSpec;
}
