import { join } from "node:path";
import type { McpServer } from "../../../contract/runs/mcp-server.ts";
import { agentFile } from "./agent-file.ts";
import type { AgentPlan, PlanContext } from "./plan.ts";
import type { ContainerTask, Plugin } from "./task.ts";

/** `cox.config.toml` lies over the image's own `config.toml`, so that nothing of that has to be changed. */
const PROFILE = "cox";

export function planCodex(task: ContainerTask, { home, env }: PlanContext): AgentPlan {
  const folder = env.CODEX_HOME || join(home, ".codex");
  const login = env.CODEX_AUTH_JSON;
  return {
    program: "codex",
    args: [
      ...["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
      ...["--profile", PROFILE],
      ...(task.model === undefined ? [] : ["--model", task.model]),
      "-", // the prompt comes on stdin
    ],
    env: {},
    files: [
      { path: join(folder, `${PROFILE}.config.toml`), content: settings(task, env) },
      ...(login ? [{ path: join(folder, "auth.json"), content: login }] : []),
      ...task.plugins.flatMap((plugin) => agentFiles(plugin, join(folder, "agents"))),
    ],
    sections: [{ path: join(folder, "AGENTS.md"), content: task.instructions ?? "" }],
    copies: task.plugins.flatMap(({ name, path, skills }) =>
      skills.map((skill) => ({ from: join(path, "skills", skill), to: join(folder, "skills", `${name}-${skill}`) })),
    ),
    stopSignal: "SIGTERM",
  };
}

function settings({ effort, mcpServers, plugins }: ContainerTask, env: NodeJS.ProcessEnv): string {
  return [
    "check_for_update_on_startup = false",
    'cli_auth_credentials_store = "file"',
    ...(effort === undefined ? [] : [`model_reasoning_effort = ${toml(effort)}`]),
    ...(env.OPENAI_BASE_URL ? provider(env.OPENAI_BASE_URL) : []),
    // Without it, what sub-agents there are is hidden from the model.
    ...(plugins.some(({ agents }) => agents.length > 0) ? ["[features]", "multi_agent_v2 = true"] : []),
    ...mcpServers.flatMap(serverTable),
    "",
  ].join("\n");
}

/** It ignores OPENAI_BASE_URL; a provider of our own makes a gateway work. */
function provider(baseUrl: string): string[] {
  return [
    'model_provider = "cox"',
    "[model_providers.cox]",
    'name = "cox"',
    `base_url = ${toml(baseUrl)}`,
    'env_key = "CODEX_API_KEY"',
    'wire_api = "responses"',
  ];
}

function serverTable({ name, transport }: McpServer): string[] {
  const head = `[mcp_servers.${toml(name)}]`;
  // It speaks one HTTP transport, which servers of the older kind are reached by where they know it.
  if (transport.type !== "stdio")
    return [head, `url = ${toml(transport.url)}`, `http_headers = ${table(transport.headers)}`];
  const { command, args, env } = transport;
  return [head, `command = ${toml(command)}`, `args = [${args.map(toml).join(", ")}]`, `env = ${table(env)}`];
}

const table = (record: Readonly<Record<string, string>>): string =>
  `{ ${Object.entries(record)
    .map(([key, value]) => `${toml(key)} = ${toml(value)}`)
    .join(", ")} }`;

/** A TOML basic string is a JSON string, but for one character that JSON lets pass. */
const toml = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007F");

function agentFiles({ name, path, agents }: Plugin, folder: string): { path: string; content: string }[] {
  return agents.map((agent) => {
    const { description, body } = agentFile(join(path, "agents", `${agent}.md`));
    const role = `${name}-${agent}`;
    const lines = [
      ["name", role],
      ["description", description ?? agent],
      ["developer_instructions", body],
    ] as const;
    const content = lines.map(([key, text]) => `${key} = ${toml(text)}\n`).join("");
    return { path: join(folder, `${role}.toml`), content };
  });
}
