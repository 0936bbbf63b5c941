import type { AgentConfigSpec, McpServer } from "../../../contract/resources/agent-config.ts";

export type Plugin = NonNullable<AgentConfigSpec["plugins"]>[number];

/** What several AgentConfigs say together. */
export interface MergedConfig {
  agentsMD: string;
  plugins: Plugin[];
  mcpServers: McpServer[];
}

/**
 * In order: instructions follow each other, plugins add up, and of two MCP servers with one name the later one counts, in
 * the place of the first.
 */
export function mergeConfigs(configs: readonly AgentConfigSpec[]): MergedConfig {
  const servers = new Map<string, McpServer>();
  const plugins = new Map<string, Plugin>();
  for (const config of configs) {
    for (const server of config.mcpServers ?? []) servers.set(server.name, server);
    for (const plugin of config.plugins ?? []) {
      const known = plugins.get(plugin.name);
      plugins.set(plugin.name, known === undefined ? plugin : joined(known, plugin));
    }
  }
  const texts = configs.map(({ agentsMD }) => agentsMD?.trim() ?? "").filter((text) => text !== "");
  return { agentsMD: texts.join("\n\n"), plugins: [...plugins.values()], mcpServers: [...servers.values()] };
}

/** Two plugins of one name are one plugin: the later skill of a name counts. */
function joined(a: Plugin, b: Plugin): Plugin {
  const merge = (first: Plugin["skills"] = [], second: Plugin["skills"] = []) => [
    ...new Map([...first, ...second].map((entry) => [entry.name, entry])).values(),
  ];
  return { name: a.name, skills: merge(a.skills, b.skills), agents: merge(a.agents, b.agents) };
}
