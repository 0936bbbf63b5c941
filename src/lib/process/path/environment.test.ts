import { describe, expect, test } from "vitest";
import { buildEnvironment, type EnvironmentParts, prependPath } from "./environment.ts";

const parts: EnvironmentParts = { caller: {}, definition: {}, run: {}, keep: [], clean: false };

describe("buildEnvironment", () => {
  const cases: Record<string, { parts: Partial<EnvironmentParts>; result: Record<string, string> }> = {
    "the caller's own environment": {
      parts: { caller: { PATH: "/bin", EDITOR: "vi", GITHUB_TOKEN: "mine" } },
      result: { PATH: "/bin", EDITOR: "vi", GITHUB_TOKEN: "mine" },
    },
    "other vendors' keys are kept from the agent, its own is not": {
      parts: {
        caller: {
          ANTHROPIC_API_KEY: "a",
          OPENAI_API_KEY: "o",
          OPENAI_ORG_ID: "o",
          GEMINI_API_KEY: "g",
          XAI_API_KEY: "x",
        },
        keep: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
      },
      result: { ANTHROPIC_API_KEY: "a" },
    },
    "every vendor's login": {
      parts: {
        caller: {
          ANTHROPIC_AUTH_TOKEN: "1",
          CLAUDE_CODE_OAUTH_TOKEN: "2",
          CODEX_API_KEY: "3",
          GOOGLE_API_KEY: "4",
          PERPLEXITY_API_KEY: "5",
        },
      },
      result: {},
    },
    "an outer agent, an outer run and npm": {
      parts: {
        caller: {
          CLAUDECODE: "1",
          CLAUDE_CODE_ENTRYPOINT: "cli",
          CLAUDE_CODE_SSE_PORT: "1",
          CLAUDE_CONFIG_DIR: "/c",
          npm_config_registry: "x",
          npm_lifecycle_event: "test",
          COX_RUN_ID: "outer",
          JRUN_ID: "outer",
          TASK_FOLDER: "/t",
          RUN_FOLDER: "/r",
        },
      },
      result: { CLAUDE_CONFIG_DIR: "/c" },
    },
    "what is of another run can't be kept": {
      parts: { caller: { CLAUDECODE: "1", COX_RUN_ID: "x" }, keep: ["CLAUDECODE", "COX_RUN_ID"] },
      result: {},
    },
    "the definition over the caller, the run over both": {
      parts: {
        caller: { A: "caller", B: "caller", C: "caller" },
        definition: { B: "definition", C: "definition", OPENAI_API_KEY: "given on purpose" },
        run: { C: "run", COX_RUN_ID: "inner" },
      },
      result: { A: "caller", B: "definition", C: "run", OPENAI_API_KEY: "given on purpose", COX_RUN_ID: "inner" },
    },
    "a clean start": {
      parts: {
        clean: true,
        keep: ["ANTHROPIC_API_KEY"],
        caller: {
          PATH: "/bin",
          HOME: "/h",
          LC_ALL: "C",
          XDG_CONFIG_HOME: "/x",
          SSL_CERT_FILE: "/s",
          NODE_EXTRA_CA_CERTS: "/n",
          HTTPS_PROXY: "p",
          no_proxy: "q",
          SSH_AUTH_SOCK: "/a",
          GITHUB_TOKEN: "secret",
          AWS_SECRET_ACCESS_KEY: "secret",
          EDITOR: "vi",
          ANTHROPIC_API_KEY: "own",
          OPENAI_API_KEY: "other",
          COX_HOME: "/outer",
        },
        run: { COX_HOME: "/run" },
      },
      result: {
        PATH: "/bin",
        HOME: "/h",
        LC_ALL: "C",
        XDG_CONFIG_HOME: "/x",
        SSL_CERT_FILE: "/s",
        NODE_EXTRA_CA_CERTS: "/n",
        HTTPS_PROXY: "p",
        no_proxy: "q",
        SSH_AUTH_SOCK: "/a",
        ANTHROPIC_API_KEY: "own",
        COX_HOME: "/run",
      },
    },
    "what is not set is not there": { parts: { caller: { A: undefined, B: "" } }, result: { B: "" } },
  };
  test.each(Object.entries(cases))("%s", (_name, each) => {
    expect(buildEnvironment({ ...parts, ...each.parts })).toEqual(each.result);
  });
});

test.each([
  ["/usr/bin:/bin", "/cox", "/cox:/usr/bin:/bin"],
  ["/usr/bin:/cox:/bin", "/cox", "/cox:/usr/bin:/bin"],
  ["/cox:/cox", "/cox", "/cox"],
  ["/b::.:/a:/b", "/cox", "/cox:/b::.:/a:/b"],
  [undefined, "/cox", "/cox:/usr/local/bin:/usr/bin:/bin"],
])("prependPath(%s, %s) is %s", (path, dir, result) => {
  expect(prependPath(path, dir)).toBe(result);
});
