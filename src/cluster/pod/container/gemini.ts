import { join } from "node:path";
import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import type { AgentPlan, PlanContext } from "./plan.ts";
import type { ContainerTask, Plugin } from "./task.ts";

export function planGemini(task: ContainerTask, { home, env }: PlanContext): AgentPlan {
  const folder = join(env.GEMINI_CLI_HOME || home, ".gemini");
  const extensions = task.plugins.map((plugin) => ({ plugin, path: join(folder, "extensions", `cox-${plugin.name}`) }));
  return {
    program: "gemini",
    args: [
      ...["--output-format", "stream-json", "--approval-mode", "yolo", "--skip-trust"],
      ...(task.model === undefined ? [] : ["--model", task.model]),
    ],
    env: {
      // Else it starts itself again, and the first one doesn't hear that it should stop.
      GEMINI_CLI_NO_RELAUNCH: "true",
    },
    files: extensions.map(({ plugin, path }) => ({
      path: join(path, "gemini-extension.json"),
      content: manifest(plugin),
    })),
    // It takes settings that lie over its own only from root.
    settings: [{ path: join(folder, "settings.json"), values: settings(task, env) }],
    sections: [{ path: join(folder, "GEMINI.md"), content: task.instructions ?? "" }],
    copies: extensions.flatMap(({ plugin, path }) => [
      ...plugin.skills.map((name) => ({ from: join(plugin.path, "skills", name), to: join(path, "skills", name) })),
      ...plugin.agents.map((name) => ({
        from: join(plugin.path, "agents", `${name}.md`),
        to: join(path, "agents", `${name}.md`),
      })),
    ]),
    stopSignal: "SIGTERM",
  };
}

const manifest = ({ name }: Plugin): string => JSON.stringify({ name: `cox-${name}`, version: "1.0.0" });

function settings({ mcpServers, effort }: ContainerTask, env: NodeJS.ProcessEnv) {
  return {
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    // Without a choice it ends at once; with other variables than a key it chooses by them.
    ...(env.GEMINI_API_KEY ? { security: { auth: { selectedType: "gemini-api-key" } } } : {}),
    ...(mcpServers.length === 0 ? {} : { mcpServers: Object.fromEntries(mcpServers.map(server)) }),
    ...(effort === undefined ? {} : { modelConfigs: { customOverrides: overrides(effort) } }),
  };
}

function server({ name, transport }: McpServer): [string, object] {
  if (transport.type === "stdio") {
    const { command, args, env } = transport;
    return [name, { command, args, env, trust: true }];
  }
  const { url, headers, type } = transport;
  return [name, { ...(type === "sse" ? { url } : { httpUrl: url }), headers, trust: true }];
}

/** Models of the third generation have levels of thinking, those before a number of tokens for it. */
function overrides(effort: string): object[] {
  const level = levels[effort.toLowerCase()] ?? effort.toUpperCase();
  const budget = budgets[effort.toLowerCase()];
  const thinking = (model: string, thinkingConfig: object) => ({
    match: { model },
    modelConfig: { generateContentConfig: { thinkingConfig } },
  });
  return [
    ...["gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"].flatMap((model) =>
      budget === undefined ? [] : [thinking(model, { thinkingBudget: budget })],
    ),
    thinking("chat-base-3", { thinkingLevel: level }),
  ];
}

const levels: Readonly<Record<string, string>> = {
  minimal: "LOW",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};
const budgets: Readonly<Record<string, number>> = {
  minimal: 512,
  low: 2048,
  medium: 8192,
  high: 16384,
  xhigh: 24576,
  max: 24576,
};
