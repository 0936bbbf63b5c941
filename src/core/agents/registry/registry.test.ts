import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { AppError } from "../../../contract/errors.ts";
import builtin from "./agents.json" with { type: "json" };
import { AgentDefinition } from "./definition-schema.ts";
import { loadRegistry, Registry } from "./registry.ts";

function home(agentsJson: unknown): string {
  const folder = temporaryFolder();
  const text = typeof agentsJson === "string" ? agentsJson : JSON.stringify(agentsJson);
  writeFileSync(join(folder, "agents.json"), text);
  return folder;
}

const rest = { id: "mine", name: "Mine", protocol: "rest" };
const mine = { id: "mine", name: "Mine", cmd: ["my-agent", "--acp"] };

describe("the built-in agents", () => {
  const { enabled } = new Registry();

  test("are offered in the order in which one would choose", () => {
    expect(enabled.map(({ id }) => id).slice(0, 4)).toEqual(["claude", "codex", "gemini", "opencode"]);
    expect(enabled.at(-1)?.id).toBe("demo");
  });

  test.each(builtin.agents.map((entry) => [entry.id, entry] as const))(
    "%s fits the schema that nobody asks then",
    (id, entry) => {
      expect(AgentDefinition.parse(entry)).toEqual(new Registry().find(id));
    },
  );

  test.each(enabled.map((definition) => [definition.id, definition] as const))("%s is whole", (_, definition) => {
    expect(definition.display_name).not.toBe("");
    expect(definition.session_config.can_recover).toBe(true);
    const models = definition.model_config.available_models.filter((model) => model.is_default);
    expect(models.length).toBeLessThanOrEqual(1);
  });

  test("speak the protocols they are meant to speak", () => {
    const protocols = Object.fromEntries(enabled.map(({ id, protocol }) => [id, protocol]));
    expect(protocols).toMatchObject({
      claude: "claude-code",
      codex: "codex",
      gemini: "acp",
      opencode: "acp",
      perplexity: "rest",
      xai: "rest",
      demo: "acp",
    });
  });

  test("never resume Gemini natively: its session/load empties the history on disk", () => {
    expect(new Registry().get("gemini").session_config).toMatchObject({
      native_session_resume: false,
      resume_flag: "",
    });
  });
});

describe("a home's agents.json", () => {
  test("adds an ACP agent in four lines", async () => {
    const registry = await loadRegistry(
      home('{ "agents": [\n{ "id": "mine", "name": "Mine",\n  "cmd": ["my-agent", "--acp"] }\n] }'),
    );
    expect(registry.get("mine")).toMatchObject({ protocol: "acp", enabled: true, working_dir: "{workspace}" });
    expect(registry.originOf("mine")).toBe("own");
    expect(registry.problems).toEqual([]);
  });

  test("may be the bare list, with a byte order mark", async () => {
    expect((await loadRegistry(home(`\uFEFF${JSON.stringify([mine])}`))).get("mine").name).toBe("Mine");
  });

  test("may be one bare agent, as documents show them", async () => {
    const registry = await loadRegistry(home(mine));
    expect(registry.problems).toEqual([]);
    expect(registry.get("mine").cmd).toEqual(["my-agent", "--acp"]);
  });

  test("is joined with a built-in agent at any depth; lists are replaced whole", async () => {
    const own = {
      id: "gemini",
      env: { MINE: "1" },
      cmd: ["my-gemini", "--acp"],
      permission_settings: { auto_approve: { label: "All of it" } },
      protocol_config: { launch: { token_env: "MY_KEY" } },
      discovery: { installation_path: { linux: ["~/mine"] } },
    };
    const [before, after] = [new Registry().get("gemini"), (await loadRegistry(home(own))).get("gemini")];
    expect(after).toEqual({
      ...before,
      cmd: own.cmd,
      env: { ...before.env, MINE: "1" },
      permission_settings: {
        auto_approve: { ...before.permission_settings.auto_approve, label: "All of it" },
      },
      protocol_config: {
        ...before.protocol_config,
        launch: { ...before.protocol_config.launch, token_env: "MY_KEY" },
      },
      discovery: {
        ...before.discovery,
        installation_path: { ...before.discovery.installation_path, linux: ["~/mine"] },
      },
    });
  });

  test.each([
    ["codex-exec", "-m {model}", "resume", "fork"],
    ["gemini", "-m {model}", "--resume", ""],
    ["opencode", "--model {model}", "--session", "--fork --session"],
    ["acp", "", "", ""],
  ])("%s has the flags of its program where it gives none, and its own where it does", async (protocol, ...flags) => {
    const flagsOf = async (fields: object) => {
      const { model_flag, session_config } = (await loadRegistry(home({ ...mine, protocol, ...fields }))).get("mine");
      return [model_flag, session_config.resume_flag, session_config.fork_flag];
    };
    expect(await flagsOf({})).toEqual(flags);
    const none = { model_flag: "", session_config: { resume_flag: "", fork_flag: "" } };
    expect(await flagsOf(none)).toEqual(["", "", ""]);
    const own = { model_flag: "-M {model}", session_config: { resume_flag: "-r", fork_flag: "-f" } };
    expect(await flagsOf(own)).toEqual(["-M {model}", "-r", "-f"]);
  });

  test("with something beside its agents is warned about, and its agents are there", async () => {
    const registry = await loadRegistry(home({ agents: [mine], comment: "mine" }));
    expect(registry.problems.map(({ message }) => message)).toEqual([
      'agents.json: unknown key "comment"; the agents belong into "agents"',
    ]);
    expect(registry.get("mine").id).toBe("mine");
    expect(registry.get("claude").id).toBe("claude");
  });

  test("changes only the fields it gives of a built-in agent, at its place", async () => {
    const registry = await loadRegistry(home([{ id: "claude", resource_limits: { timeout_seconds: 60 } }]));
    const claude = registry.get("claude");
    expect(claude.resource_limits).toEqual({ timeout_seconds: 60, memory_mb: 4096, cpu_cores: 2 });
    expect(claude.cmd[0]).toBe("claude");
    expect(registry.enabled[0]?.id).toBe("claude");
    expect(registry.originOf("claude")).toBe("changed");
    expect(registry.originOf("codex")).toBe("built-in");
  });

  test("may come from Kandev: what only it knows is passed over, what can't be spoken is said", async () => {
    const theirs = {
      ...{ name: "Agent", cmd: ["npx", "-y", "agent"], mounts: [], passthrough_config: { supported: true } },
      permission_settings: { auto_approve: { supported: true, default: true, apply_method: "", cli_flag: "" } },
      model_config: { default_model: "m", context_window_dynamic: true, default_context_window: 200_000 },
    };
    const agents = [
      { ...theirs, id: "claude-code", protocol: "claude-code" },
      { ...theirs, id: "amp", protocol: "amp" },
      { ...theirs, id: "opencode", protocol: "opencode", cmd: ["npx", "-y", "opencode-ai", "serve", "--port", "0"] },
    ];
    const registry = await loadRegistry(home({ $schema: "./schema.json", version: "1.0", agents }));
    expect(registry.get("claude-code").permission_settings.auto_approve?.apply_method).toBeUndefined();
    expect(registry.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('agents[1] "amp": protocol "amp": unknown'),
      expect.stringContaining(
        'agents[2] "opencode": cmd: `serve` is a server, which we don\'t speak to; use `opencode acp`',
      ),
    ]);
  });

  test("hides what it disables", async () => {
    const registry = await loadRegistry(home([{ id: "gemini", enabled: false }]));
    expect(registry.enabled.map(({ id }) => id)).not.toContain("gemini");
    expect(registry.all.map(({ id }) => id)).toContain("gemini");
    expect(() => registry.get("gemini")).toThrow(/disabled; set "enabled": true/);
    expect(registry.find("gemini").enabled).toBe(false);
  });

  test("gives an image without a tag the latest", async () => {
    expect((await loadRegistry(home([{ id: "boxed", name: "Boxed", image: "me/agent" }]))).get("boxed").tag).toBe(
      "latest",
    );
  });

  test("that isn't there is no problem; one that can't be read is", async () => {
    expect((await loadRegistry(temporaryFolder())).problems).toEqual([]);
    const folder = temporaryFolder();
    mkdirSync(join(folder, "agents.json"));
    await expect(loadRegistry(folder)).rejects.toThrow(/agents\.json: can't be read \(EISDIR\)/);
  });
});

describe("what is wrong is said with its place", () => {
  const cases: Record<string, [entry: unknown, message: string]> = {
    "an unknown protocol": [
      { ...mine, protocol: "x" },
      'agents.json: agents[1] "mine": protocol "x": unknown; valid: acp, rest, mcp, codex, codex-exec, claude-code, gemini, opencode, text, terminal',
    ],
    "a model flag without a place for the model": [
      { ...mine, model_flag: "--model" },
      'agents.json: agents[1] "mine": model_flag: must contain {model}',
    ],
    "a prompt flag without a place for the prompt": [
      { ...mine, protocol: "text", prompt_flag: "--prompt" },
      'agents.json: agents[1] "mine": prompt_flag: must contain {prompt}',
    ],
    "a prompt flag of an agent that is told in a conversation": [
      { ...mine, prompt_flag: "{prompt}" },
      'agents.json: agents[1] "mine": prompt_flag: only with a protocol that is a process per turn: codex-exec, gemini, opencode, text',
    ],
    "a conversation of a program that names none": [
      { ...mine, protocol: "text", session_config: { resume_flag: "--resume" } },
      'agents.json: agents[1] "mine": session_config: a program that speaks text names no conversation; it is told what was said before',
    ],
    "neither program nor image": [
      { id: "mine", name: "Mine" },
      'agents.json: agents[1] "mine": cmd: required: give cmd (a program on this machine) or image (a container)',
    ],
    "a limit of nothing": [
      { ...mine, resource_limits: { memory_mb: 0 } },
      'agents.json: agents[1] "mine": resource_limits.memory_mb: must be greater than 0, not 0',
    ],
    "a word for a number": [
      { ...mine, resource_limits: { timeout_seconds: "60" } },
      'agents.json: agents[1] "mine": resource_limits.timeout_seconds: must be a number, not a string',
    ],
    "a misspelt field": [
      { ...mine, premission_flag: "--ask" },
      'agents.json: agents[1] "mine": unknown key "premission_flag"',
    ],
    "a name that is missing": [{ id: "mine", cmd: ["x"] }, 'agents.json: agents[1] "mine": name: missing'],
    "an id that can't be a folder": [
      { ...mine, id: "../x" },
      'agents.json: agents[1] "../x": id: must be 1 to 64 of a-z, 0-9, ".", "_", "-"',
    ],
    "no id at all": [{ name: "Mine", cmd: ["x"] }, "agents.json: agents[1]: id: missing"],
    "something that is no entry": ["mine", "agents.json: agents[1]: must be an object"],
    "an id that is taken": [
      { ...mine, id: "first" },
      'agents.json: agents[1] "first": its id is taken by an entry before it',
    ],
    "a switch without its flag": [
      { ...mine, permission_settings: { fast: { apply_method: "cli_flag" } } },
      'agents.json: agents[1] "mine": permission_settings.fast.cli_flag: required with apply_method cli_flag',
    ],
    "a switch without its option": [
      { ...mine, permission_settings: { fast: { apply_method: "acp" } } },
      'agents.json: agents[1] "mine": permission_settings.fast.option: required with apply_method acp',
    ],
    "a misspelt launch setting": [
      { ...mine, protocol_config: { launch: { token: "X" } } },
      'agents.json: agents[1] "mine": protocol_config.launch: unknown key "token"',
    ],
    "a conversation that nothing can load": [
      { ...mine, protocol: "gemini", session_config: { native_session_resume: true, resume_flag: "" } },
      'agents.json: agents[1] "mine": session_config.resume_flag: required with native_session_resume: gemini has no other way',
    ],
    "an API without an address": [
      { ...rest, protocol_config: { api_key_env: "KEY" } },
      'agents.json: agents[1] "mine": protocol_config.base_url: required; or set provider to perplexity or xai',
    ],
    "an API whose address is none": [
      { ...rest, protocol_config: { base_url: "example", api_key_env: "" } },
      'agents.json: agents[1] "mine": protocol_config.base_url: must be an http or https address',
    ],
    "an API whose key is written down": [
      { ...rest, protocol_config: { provider: "xai", api_key_env: "sk-123" } },
      'agents.json: agents[1] "mine": protocol_config.api_key_env: must be the name of a variable, or "" if the server wants no key',
    ],
    "an API with a misspelt setting": [
      { ...rest, protocol_config: { provider: "xai", baseurl: "http://x" } },
      'agents.json: agents[1] "mine": protocol_config: unknown key "baseurl"',
    ],
    "a default model in the wrong place": [
      { ...rest, protocol_config: { provider: "xai", default_model: "grok" } },
      'agents.json: agents[1] "mine": protocol_config.default_model: belongs into model_config.default_model',
    ],
    "a word of a command that is no text": [
      { ...mine, cmd: ["x", 1] },
      'agents.json: agents[1] "mine": cmd[1]: must be a string, not a number',
    ],
  };
  test.each(Object.entries(cases))("%s", async (_, [entry, message]) => {
    const registry = await loadRegistry(home({ agents: [{ ...mine, id: "first" }, entry, { ...mine, id: "last" }] }));
    expect(registry.problems.map((problem) => problem.message)).toEqual([message]);
    expect(registry.enabled.map(({ id }) => id)).toContain("last");
  });

  test("an agent with a bad entry is refused for that reason, a built-in one too", async () => {
    const registry = await loadRegistry(
      home([{ id: "claude", permission_settings: { auto_approve: { default: "no" } } }]),
    );
    expect(refusal(() => registry.get("claude"))).toMatchObject({
      code: "config.invalid",
      message: 'agents.json: [0] "claude": permission_settings.auto_approve.default: must be a boolean, not a string',
    });
    expect(registry.enabled.map(({ id }) => id)).not.toContain("claude");
    expect(registry.get("codex").id).toBe("codex");
  });

  test("a file that is no JSON starts nothing, and says where", async () => {
    const registry = await loadRegistry(home('{\n  "agents": [\n    { "id": "mine", }\n  ]\n}'));
    expect(refusal(() => registry.get("claude"))).toMatchObject({
      code: "config.invalid",
      message: "agents.json: line 3, column 21: this is not JSON",
    });
  });

  test.each([
    ["a number", "1", 'agents.json: must be {"agents": […]}, a list, or one agent'],
    ["agents that are no list", '{"agents": {}}', "agents.json: agents: must be a list"],
    ["no agents", '{"agnets": []}', 'agents.json: unknown key "agnets"; the agents belong into "agents"'],
    ["an agent that is not whole", '{"id": "mine", "name": "x"}', expect.stringContaining('[0] "mine": cmd: required')],
  ])("%s", async (_, text, message) => {
    expect((await loadRegistry(home(text))).problems.map((problem) => problem.message)).toEqual([message]);
  });

  test("an agent nobody knows: the known ones are named", () => {
    expect(refusal(() => new Registry().get("clod"))).toMatchObject({
      code: "agent.unknown",
      message: expect.stringContaining('agent "clod": unknown; known are claude, codex'),
    });
  });
});

function refusal(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  return undefined;
}
