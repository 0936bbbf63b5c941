import { join } from "node:path";
import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import type { AgentPlan, PlanContext } from "./plan.ts";
import type { ContainerTask } from "./task.ts";

export function planOpencode(task: ContainerTask, { home, own, env }: PlanContext): AgentPlan {
  const folder = join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
  const configFile = join(own, "opencode.json");
  return {
    program: "opencode",
    args: [
      ...["run", "--format", "json", "--auto"],
      ...(task.model === undefined ? [] : ["--model", task.model]),
      ...(task.effort === undefined ? [] : ["--variant", task.effort]),
    ],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      // Lies over the settings that the image may have in its home.
      OPENCODE_CONFIG: configFile,
      ...keys(task.model, env),
    },
    files: [{ path: configFile, content: JSON.stringify(settings(task)) }],
    sections: [{ path: join(folder, "AGENTS.md"), content: task.instructions ?? "" }],
    copies: task.plugins.flatMap((plugin) => [
      ...plugin.skills.map((name) => ({
        from: join(plugin.path, "skills", name),
        to: join(folder, "skills", `${plugin.name}-${name}`),
      })),
      ...plugin.agents.map((name) => ({
        from: join(plugin.path, "agents", `${name}.md`),
        to: join(folder, "agents", `${plugin.name}-${name}.md`),
      })),
    ]),
    stopSignal: "SIGTERM",
  };
}

const settings = ({ mcpServers }: ContainerTask) => ({
  autoupdate: false,
  share: "disabled",
  ...(mcpServers.length === 0 ? {} : { mcp: Object.fromEntries(mcpServers.map(server)) }),
});

function server({ name, transport }: McpServer): [string, object] {
  if (transport.type === "stdio") {
    const { command, args, env } = transport;
    return [name, { type: "local", command: [command, ...args], environment: env, enabled: true }];
  }
  return [name, { type: "remote", url: transport.url, headers: transport.headers, enabled: true }];
}

/** One key for whichever vendor: the model's name says whose it is, and each vendor's key has a variable of its own. */
function keys(model: string | undefined, env: NodeJS.ProcessEnv): Record<string, string> {
  const key = env.OPENCODE_API_KEY;
  const vendor = model?.includes("/") ? model.slice(0, model.indexOf("/")) : "anthropic";
  const variable = Object.hasOwn(variables, vendor) ? variables[vendor] : undefined;
  return key && variable ? { [variable]: key } : {};
}

const variables: Readonly<Record<string, string>> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
  groq: "GROQ_API_KEY",
  xai: "XAI_API_KEY",
  openrouter: "OPENROUTER_API_KEY",
  mistral: "MISTRAL_API_KEY",
  deepseek: "DEEPSEEK_API_KEY",
  zai: "ZHIPU_API_KEY",
  "zai-coding-plan": "ZHIPU_API_KEY",
};
