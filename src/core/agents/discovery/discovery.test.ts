import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { AgentDefinition as Definition } from "../registry/definition.ts";
import { AgentDefinition } from "../registry/definition-schema.ts";
import { Registry } from "../registry/registry.ts";
import { discover } from "./discovery.ts";

const own = { node: process.execPath, package: "/opt/cox" };

/** A machine with nothing but what is put on it. */
function machine() {
  const folder = temporaryFolder();
  const env: Record<string, string> = { HOME: join(folder, "home"), PATH: join(folder, "bin") };
  const put = (path: string, text: string, mode = 0o600) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
  };
  return {
    env,
    home: env.HOME ?? "",
    program: (name: string) => put(join(folder, "bin", name), "#!/bin/sh\n", 0o755),
    file: (name: string, text = "") => put(join(env.HOME ?? "", name), text, 0o755),
    look: (agent: string | Definition, provided: string[] = []) =>
      discover(typeof agent === "string" ? new Registry().get(agent) : agent, {
        env,
        platform: "linux",
        provided: new Set(provided),
        own,
      }),
  };
}

const entry = (fields: object) => AgentDefinition.parse({ id: "mine", name: "Mine", ...fields });

describe("state", () => {
  test("missing, with the command that installs it", () => {
    expect(machine().look("claude")).toMatchObject({ state: "missing", remedy: "npm i -g @anthropic-ai/claude-code" });
    expect(machine().look("devin").remedy).toBe("install devin (see its own documentation)");
  });

  test("traces of an installation, but no program", () => {
    const here = machine();
    here.file(".claude.json", "{}");
    const found = here.look("claude");
    expect(found.state).toBe("not_on_path");
    expect(found.remedy).toMatch(/^put claude on your PATH, or: npm i/);
    expect(found.paths).toContainEqual({ path: join(here.home, ".claude.json"), exists: true });
    expect(found.paths).toContainEqual({ path: join(here.home, ".local/bin/claude"), exists: false });
  });

  test("a program where its installer puts it, off the PATH", () => {
    const here = machine();
    here.file(".local/bin/claude");
    here.env.ANTHROPIC_API_KEY = "k";
    expect(here.look("claude")).toMatchObject({ state: "installed", program: join(here.home, ".local/bin/claude") });
  });

  test("needs login, with the command for that", () => {
    const here = machine();
    here.program("codex");
    expect(here.look("codex")).toMatchObject({ state: "needs_login", remedy: "codex login", login: { state: "none" } });
  });

  const provider = 'model_provider = "acme"\n[model_providers.acme]\nname = "Acme"\nenv_key = "ACME_KEY"\n';
  test.each<[string, Record<string, string>, string[], string, string, string]>([
    [
      "its key is missing",
      {},
      [],
      "needs_login",
      "none ACME_KEY",
      "set ACME_KEY, which ${CODEX_HOME:-~/.codex}/config.toml names as env_key",
    ],
    ["its key is set", { ACME_KEY: "k" }, [], "installed", "account", ""],
    [
      "the agent's own key is no login there",
      { OPENAI_API_KEY: "k" },
      [],
      "needs_login",
      "none ACME_KEY",
      "set ACME_KEY",
    ],
    ["a profile has a key, and a provider with it", {}, ["OPENAI_API_KEY"], "installed", "key OPENAI_API_KEY", ""],
  ])("another provider in codex's config: %s", (_, env, provided, state, login, remedy) => {
    const here = machine();
    here.program("codex");
    here.file(".codex/config.toml", provider);
    Object.assign(here.env, env);
    const found = here.look("codex", provided);
    expect(found.state).toBe(state);
    expect(`${found.login.state} ${found.login.by}`).toContain(login);
    expect(found.remedy).toContain(remedy);
    expect(found.remedy === "").toBe(state === "installed");
  });

  test("a model's API needs its key; a profile may have it", () => {
    const here = machine();
    expect(here.look("xai")).toMatchObject({
      state: "needs_login",
      login: { state: "none", by: "XAI_API_KEY" },
      remedy: expect.stringContaining("set XAI_API_KEY"),
    });
    expect(here.look("xai", ["XAI_API_KEY"]).state).toBe("installed");
    here.env.XAI_API_KEY = "k";
    expect(here.look("xai")).toMatchObject({
      state: "installed",
      login: { state: "key", by: "XAI_API_KEY" },
      program: undefined,
    });
  });

  test("an agent whose login can't be told from outside is taken as it is", () => {
    const here = machine();
    here.program("goose");
    expect(here.look("goose")).toMatchObject({ state: "installed", login: { state: "unknown" }, remedy: "" });
  });

  test("the demo is always there", () => {
    expect(machine().look("demo")).toMatchObject({ state: "installed", program: process.execPath });
  });

  test("that npx is there says nothing of the agent behind it", () => {
    const here = machine();
    here.program("npx");
    const traced = entry({
      cmd: ["npx", "-y", "agent"],
      discovery: { installation_path: { linux: ["~/.agent", "$XDG_CONFIG_HOME/agent"] } },
    });
    expect(here.look(traced)).toMatchObject({
      state: "missing",
      paths: [{ path: join(here.home, ".agent"), exists: false }],
    });
    here.file(".agent");
    expect(here.look(traced).state).toBe("installed");
    expect(here.look(entry({ cmd: ["npx", "-y", "agent"] })).state).toBe("installed");
  });

  test("an image alone is not on this machine", () => {
    expect(machine().look(entry({ image: "me/agent" })).state).toBe("missing");
  });

  test("a file that can't be executed is no program", () => {
    const here = machine();
    here.program("codex");
    chmodSync(join(dirname(here.home), "bin", "codex"), 0o644);
    expect(here.look("codex").state).toBe("missing");
  });
});

describe("login", () => {
  const cases: Record<string, [agent: string, file: string, text: string]> = {
    "claude's credentials": ["claude", ".claude/.credentials.json", "{}"],
    "claude's account, where the credentials are in a keychain": [
      "claude",
      ".claude.json",
      '{"oauthAccount": {"id": 1}}',
    ],
    codex: ["codex", ".codex/auth.json", "{}"],
    gemini: ["gemini", ".gemini/oauth_creds.json", "{}"],
    opencode: ["opencode", ".local/share/opencode/auth.json", "{}"],
  };
  test.each(Object.entries(cases))("%s", (_, [agent, file, text]) => {
    const here = machine();
    here.program(agent);
    expect(here.look(agent).login.state).toBe("none");
    here.file(file, text);
    expect(here.look(agent).login).toMatchObject({ state: "account" });
    expect(here.look(agent).state).toBe("installed");
  });

  test.each(['{"oauthAccount": null}', '{"other": 1}', "{ half", "[]"])("a .claude.json with %s is none", (text) => {
    const here = machine();
    here.program("claude");
    here.file(".claude.json", text);
    expect(here.look("claude").login.state).toBe("none");
  });

  test("is looked for where the agent's own variable leads", () => {
    const here = machine();
    here.program("codex");
    here.file(".codex/auth.json", "{}");
    here.env.CODEX_HOME = join(here.home, "elsewhere");
    expect(here.look("codex").login.state).toBe("none");
    here.file("elsewhere/auth.json", "{}");
    expect(here.look("codex").login).toEqual({ state: "account", by: join(here.home, "elsewhere/auth.json") });
  });

  test("a vendor's key is one, an empty one isn't", () => {
    const here = machine();
    here.program("gemini");
    here.env.GOOGLE_API_KEY = "";
    expect(here.look("gemini").login.state).toBe("none");
    here.env.GOOGLE_API_KEY = "k";
    expect(here.look("gemini").login).toEqual({ state: "key", by: "GOOGLE_API_KEY" });
  });
});

describe("the profile an agent has by itself", () => {
  const models = [{ id: "a" }, { id: "b", is_default: true }];
  test.each([
    ["the named model", { default_model: "m", available_models: models }, "m"],
    ["else the one marked", { available_models: models }, "b"],
    ["else none", { available_models: [{ id: "a" }] }, ""],
  ])("%s", (_, model_config, model) => {
    expect(machine().look(entry({ cmd: ["x"], model_config })).profile).toEqual({ agent: "mine", model });
  });
});
