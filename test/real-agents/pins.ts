import pins from "./package.json" with { type: "json" };

/** The npm packages that the agents come in. */
export const packages = {
  claude: "@anthropic-ai/claude-code",
  codex: "@openai/codex",
  gemini: "@google/gemini-cli",
  opencode: "opencode-linux-x64",
  "claude-acp": "@agentclientprotocol/claude-agent-acp",
  "codex-acp": "@agentclientprotocol/codex-acp",
} as const satisfies Record<string, keyof typeof pins.dependencies>;

/** Their exact versions, by the agent's id. */
export const versions: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(packages).map(([agent, name]) => [agent, pins.dependencies[name]]),
);
