import { describe, expect, test } from "vitest";
import type { AppError } from "../../../contract/errors.ts";
import { endpointOf } from "./providers.ts";

const key = { XAI_API_KEY: "k", PERPLEXITY_API_KEY: "p" };

describe("where to ask", () => {
  test("perplexity and xai are known", () => {
    expect(endpointOf({ provider: "perplexity" }, key, "sonar")).toMatchObject({
      name: "perplexity",
      url: "https://api.perplexity.ai/chat/completions",
      model: "sonar",
      key: "p",
      asksForUsage: false,
    });
    expect(endpointOf({ provider: "xai" }, key, "grok-4")).toMatchObject({
      url: "https://api.x.ai/v1/chat/completions",
      model: "grok-4",
      key: "k",
      limits: { header: 10_000, idle: 60_000, total: 1_800_000 },
    });
  });

  test("the environment changes them, the definition has the last word", () => {
    const env = { ...key, XAI_API_BASE: "http://b/v1/", XAI_MODEL: "grok-9" };
    expect(endpointOf({ provider: "xai" }, env, undefined)).toMatchObject({
      url: "http://b/v1/chat/completions",
      model: "grok-9",
    });
    expect(endpointOf({ provider: "xai" }, { ...env, XAI_BASE_URL: "http://a" }, "mine")).toMatchObject({
      url: "http://a/chat/completions",
      model: "mine",
    });
    const config = {
      provider: "xai",
      base_url: "http://c",
      path: "/v2/chat",
      api_key_env: "MY_KEY",
    };
    expect(endpointOf(config, { ...env, MY_KEY: " m\n" }, "d")).toMatchObject({
      url: "http://c/v2/chat",
      model: "d",
      key: "m",
    });
  });

  test("any server will do; without a key only when the definition says so", () => {
    const local = { base_url: "http://127.0.0.1:11434/v1", api_key_env: "" };
    expect(endpointOf(local, {}, "qwen")).toMatchObject({
      name: "127.0.0.1:11434",
      key: undefined,
      asksForUsage: true,
    });
  });
});

describe("what is missing is said", () => {
  const refusal = (config: object, env: Record<string, string> = {}, model: string | undefined = "m") => {
    try {
      endpointOf(config, env, model);
    } catch (error) {
      return [(error as AppError).code, (error as AppError).message];
    }
    return [];
  };

  test.each([
    [{ provider: "xai" }, {}, "agent.not_ready", "api key is empty; set XAI_API_KEY"],
    [{ provider: "xai" }, { XAI_API_KEY: "  " }, "agent.not_ready", "api key is empty; set XAI_API_KEY"],
    [{ provider: "hal" }, {}, "config.invalid", "provider hal is unknown"],
    [{}, {}, "config.invalid", "set provider to perplexity or xai"],
    [{ base_url: "http://x" }, {}, "config.invalid", "api_key_env"],
    [{ provider: "xai", default_model: "m" }, key, "config.invalid", "belongs into model_config.default_model"],
    [{ base_url: "not a url" }, {}, "config.invalid", "base_url"],
    [{ provider: "xai", baseurl: "http://x" }, key, "config.invalid", "baseurl"],
  ])("%j", (config, env, code, message) => {
    expect(refusal(config, env as Record<string, string>)).toEqual([code, expect.stringContaining(message)]);
  });

  test("no model at all", () => {
    expect(() => endpointOf({ provider: "xai" }, key, undefined)).toThrow(/model_config\.default_model/);
  });
});
