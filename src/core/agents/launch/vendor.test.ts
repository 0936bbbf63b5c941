import { describe, expect, test } from "vitest";
import { AgentDefinition } from "../registry/definition-schema.ts";
import { Registry } from "../registry/registry.ts";
import { type LaunchWishes, planLaunch } from "./launch.ts";

const registry = new Registry();
const own = { node: "/usr/bin/node", package: "/opt/cox" };
const caller = { HOME: "/home/ann", PATH: "/usr/bin" };

type Some = Partial<Omit<LaunchWishes, "definition">>;
const plan = (id: string, wishes: Some = {}) =>
  planLaunch({ definition: registry.get(id), workspace: "/w", permissions: "ask", own, caller, ...wishes });

const mine = (fields: object) => AgentDefinition.parse({ id: "mine", name: "Mine", cmd: ["agent"], ...fields });
const planMine = (fields: object, wishes: Some = {}) =>
  planLaunch({ definition: mine(fields), workspace: "/w", permissions: "ask", own, caller, ...wishes });

describe("tokens", () => {
  const cases: Record<string, [id: string, token: string, variable: string]> = {
    claude: ["claude", "sk-ant-api-1", "ANTHROPIC_API_KEY"],
    "claude with a subscription's token": ["claude", "sk-ant-oat01-1", "CLAUDE_CODE_OAUTH_TOKEN"],
    codex: ["codex", "sk-1", "OPENAI_API_KEY"],
    gemini: ["gemini", "AI-1", "GEMINI_API_KEY"],
    perplexity: ["perplexity", "pplx-1", "PERPLEXITY_API_KEY"],
    xai: ["xai", "xai-1", "XAI_API_KEY"],
  };
  test.each(Object.entries(cases))("%s", (_, [id, token, variable]) => {
    const { env, argv, keepEnv } = plan(id, { profile: { token } });
    expect(env[variable]).toBe(token);
    expect(argv.join(" ")).not.toContain(token);
    // The caller's own key for the same vendor stays out: two of them would compete.
    expect(keepEnv).not.toContain(variable);
  });

  test("without a profile's token the agent may inherit its vendor's keys, and no other's", () => {
    expect(plan("claude").keepEnv).toEqual(
      expect.arrayContaining(["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"]),
    );
    expect(plan("claude").keepEnv).not.toContain("OPENAI_API_KEY");
    expect(plan("gemini").keepEnv).toEqual(expect.arrayContaining(["GEMINI_API_KEY", "GOOGLE_API_KEY"]));
    expect(plan("demo").keepEnv).toEqual([]);
  });

  test("an agent that names no variable for it refuses a token", () => {
    expect(() => planMine({}, { profile: { token: "t" } })).toThrow(/nothing says which variable takes its token/);
    expect(planMine({ required_env: ["MY_KEY"] }, { profile: { token: "t" } }).env.MY_KEY).toBe("t");
  });
});

describe("base_url and model", () => {
  const baseUrl = "http://127.0.0.1:8102/v1";

  test("are BASE_URL and MODEL for everybody, and only where they are set", () => {
    expect(plan("demo", { model: "demo-smart", profile: { baseUrl } }).env).toEqual({
      BASE_URL: baseUrl,
      MODEL: "demo-smart",
    });
    expect(plan("demo").env).toEqual({});
  });

  test.each([
    ["claude", "ANTHROPIC_BASE_URL"],
    ["claude-acp", "ANTHROPIC_BASE_URL"],
    ["gemini", "GOOGLE_GEMINI_BASE_URL"],
  ])("%s gets the address in its own variable", (id, variable) => {
    expect(plan(id, { profile: { baseUrl } }).env).toMatchObject({ [variable]: baseUrl, BASE_URL: baseUrl });
  });

  test("REST gets it in its settings, without ours", () => {
    expect(plan("xai", { profile: { baseUrl, token: "k" } }).config).toEqual({ provider: "xai", base_url: baseUrl });
    expect(plan("xai", { profile: { token: "k" } }).config).toEqual({ provider: "xai" });
  });

  test("the bridge to codex gets a provider in its own variables", () => {
    const { env } = plan("codex-acp", { profile: { baseUrl, token: "t" } });
    expect(JSON.parse(env.CODEX_CONFIG ?? "")).toEqual({
      model_provider: "cox",
      model_providers: { cox: { name: "cox", base_url: baseUrl, wire_api: "responses", env_key: "OPENAI_API_KEY" } },
    });
    expect(env).toMatchObject({ MODEL_PROVIDER: "cox", OPENAI_API_KEY: "t" });
    expect(plan("codex-acp", { loggedIn: true }).env.CODEX_CONFIG).toBeUndefined();
  });

  test("the bridge to codex would let a model decide: it is told to ask, or what it may do unasked", () => {
    expect(plan("codex-acp").env.INITIAL_AGENT_MODE).toBe("read-only");
    expect(plan("codex-acp", { permissions: "allow" }).env.INITIAL_AGENT_MODE).toBe("workspace-write");
  });

  describe("codex", () => {
    const provider = (url: string, key = ',env_key="OPENAI_API_KEY"') =>
      `-c model_providers.cox={name="cox",base_url="${url}",wire_api="responses"${key}} -c model_provider="cox"`;
    const openai = "https://api.openai.com/v1";
    const key = { caller: { ...caller, OPENAI_API_KEY: "k" } };
    const cases: Record<string, [Some, string]> = {
      "with an address and a token": [{ profile: { baseUrl, token: "t" } }, provider(baseUrl)],
      "with an address alone": [{ profile: { baseUrl } }, provider(baseUrl, "")],
      "with a token alone": [{ profile: { token: "t" } }, provider(openai)],
      "with a key and no login": [{ ...key, loggedIn: false }, provider(openai)],
      "with a key and a login": [{ ...key, loggedIn: true }, ""],
      "with neither": [{ loggedIn: false }, ""],
    };
    test.each(Object.entries(cases))("%s", (_, [wishes, args]) => {
      expect(plan("codex", wishes).argv.slice(6).join(" ")).toBe(args);
    });
  });

  describe("opencode", () => {
    const config = (wishes: Some) => {
      const { env, model } = plan("opencode", wishes);
      return { model, config: env.OPENCODE_CONFIG_CONTENT && JSON.parse(env.OPENCODE_CONFIG_CONTENT) };
    };
    test("a bare model gets a provider of its own", () => {
      expect(config({ model: "fake-1", profile: { baseUrl, token: "t" } })).toEqual({
        model: "cox/fake-1",
        config: {
          provider: {
            cox: {
              npm: "@ai-sdk/openai-compatible",
              options: { baseURL: baseUrl, apiKey: "{env:OPENCODE_API_KEY}" },
              models: { "fake-1": {} },
            },
          },
          model: "cox/fake-1",
          small_model: "cox/fake-1",
        },
      });
    });
    test("the record keeps the person's name for it", () => {
      const { modelName, env } = plan("opencode", { model: "fake-1", profile: { baseUrl } });
      expect([modelName, env.MODEL]).toEqual(["fake-1", "fake-1"]);
    });
    test("a provider's model moves that provider", () => {
      expect(config({ model: "openrouter/qwen/qwen3", profile: { baseUrl } })).toEqual({
        model: "openrouter/qwen/qwen3",
        config: {
          provider: { openrouter: { options: { baseURL: baseUrl }, models: { "qwen/qwen3": {} } } },
          model: "openrouter/qwen/qwen3",
          small_model: "openrouter/qwen/qwen3",
        },
      });
    });
    test("without an address nothing is configured; with one and no model it is refused", () => {
      expect(config({ model: "openai/gpt-5.5" })).toEqual({ model: "openai/gpt-5.5", config: undefined });
      expect(() => plan("opencode", { profile: { baseUrl } })).toThrow(/needs a model/);
    });
  });
});
