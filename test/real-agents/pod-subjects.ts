import type { Api } from "./model-server.ts";

/** One of our images, as a test has it: the pinned agent, and a scripted model. */
export interface PodSubject {
  type: string;
  api: Api;
  /** How the model's server is found, and who asks. */
  connection(url: string, key: string): Record<string, string>;
  model: string;
  tokens: [input: string, output: string];
  /** The effort "high", as this agent's requests say it. */
  effort: RegExp;
  /** How its models call the tool `ping` of the MCP server `fake`. */
  ping: string;
}

const opencodeConfig = (url: string, key: string) =>
  JSON.stringify({
    model: "local/fake-1",
    small_model: "local/fake-1",
    enabled_providers: ["local"],
    provider: {
      local: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${url}/v1`, apiKey: key },
        models: {
          "fake-1": {
            reasoning: true,
            limit: { context: 100_000, output: 8000 },
            variants: { high: { reasoningEffort: "high" } },
            cost: { input: 2, output: 10 },
          },
        },
      },
    },
  });

export const podSubjects: PodSubject[] = [
  {
    type: "claude-code",
    api: "anthropic",
    connection: (url, key) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, CLAUDE_CODE_MAX_RETRIES: "1" }),
    model: "claude-sonnet-4-5",
    tokens: ["120", "15"],
    effort: /"effort":"high"|"budget_tokens":\d+/,
    ping: "mcp__fake__ping",
  },
  {
    type: "codex",
    api: "openai",
    connection: (url, key) => ({ OPENAI_BASE_URL: `${url}/v1`, CODEX_API_KEY: key }),
    model: "gpt-5.5",
    tokens: ["150", "42"],
    effort: /"effort":"high"/,
    ping: "mcp__fake::ping",
  },
  {
    type: "gemini",
    api: "gemini",
    connection: (url, key) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: key }),
    model: "gemini-2.5-flash",
    tokens: ["150", "30"],
    effort: /"thinkingBudget":16384/,
    ping: "mcp_fake_ping",
  },
  {
    type: "opencode",
    api: "openai",
    connection: (url, key) => ({
      OPENCODE_CONFIG_CONTENT: opencodeConfig(url, key),
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    }),
    model: "local/fake-1",
    tokens: ["100", "30"],
    effort: /"reasoning_effort":"high"/,
    ping: "fake_ping",
  },
];
