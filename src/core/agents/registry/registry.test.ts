import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { AppError } from "../../../contract/errors.ts";
import { loadRegistry } from "./registry.ts";

function home(agentsJson: unknown): string {
  const folder = temporaryFolder();
  const text = typeof agentsJson === "string" ? agentsJson : JSON.stringify(agentsJson);
  writeFileSync(join(folder, "agents.json"), text);
  return folder;
}

const mine = { id: "mine", name: "Mine", cmd: ["my-agent", "--acp"] };

describe("the built-in agents", () => {
  const { enabled } = loadRegistry();

  test("are offered in the order in which one would choose", () => {
    expect(enabled.map(({ id }) => id).slice(0, 4)).toEqual(["claude", "codex", "gemini", "opencode"]);
    expect(enabled.at(-1)?.id).toBe("demo");
  });

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
    expect(loadRegistry().get("gemini").session_config).toMatchObject({
      native_session_resume: false,
      resume_flag: "",
    });
  });
});

describe("a home's agents.json", () => {
  test("adds an ACP agent in four lines", () => {
    const registry = loadRegistry(
      home('{ "agents": [\n{ "id": "mine", "name": "Mine",\n  "cmd": ["my-agent", "--acp"] }\n] }'),
    );
    expect(registry.get("mine")).toMatchObject({ protocol: "acp", enabled: true, working_dir: "{workspace}" });
    expect(registry.originOf("mine")).toBe("own");
    expect(registry.problems).toEqual([]);
  });

  test("may be the bare list, with a byte order mark", () => {
    expect(loadRegistry(home(`\uFEFF${JSON.stringify([mine])}`)).get("mine").name).toBe("Mine");
  });

  test("changes only the fields it gives of a built-in agent, at its place", () => {
    const registry = loadRegistry(home([{ id: "claude", resource_limits: { timeout_seconds: 60 } }]));
    const claude = registry.get("claude");
    expect(claude.resource_limits).toEqual({ timeout_seconds: 60, memory_mb: 4096, cpu_cores: 2 });
    expect(claude.cmd[0]).toBe("claude");
    expect(registry.enabled[0]?.id).toBe("claude");
    expect(registry.originOf("claude")).toBe("changed");
    expect(registry.originOf("codex")).toBe("built-in");
  });

  test("hides what it disables", () => {
    const registry = loadRegistry(home([{ id: "gemini", enabled: false }]));
    expect(registry.enabled.map(({ id }) => id)).not.toContain("gemini");
    expect(registry.all.map(({ id }) => id)).toContain("gemini");
    expect(() => registry.get("gemini")).toThrow(/disabled; set "enabled": true/);
    expect(registry.find("gemini").enabled).toBe(false);
  });

  test("gives an image without a tag the latest", () => {
    expect(loadRegistry(home([{ id: "boxed", name: "Boxed", image: "me/agent" }])).get("boxed").tag).toBe("latest");
  });

  test("that isn't there is no problem; one that can't be read is", () => {
    expect(loadRegistry(temporaryFolder()).problems).toEqual([]);
    const folder = temporaryFolder();
    mkdirSync(join(folder, "agents.json"));
    expect(() => loadRegistry(folder)).toThrow(/agents\.json: can't be read \(EISDIR\)/);
  });
});

describe("what is wrong is said with its place", () => {
  const cases: Record<string, [entry: unknown, message: string]> = {
    "an unknown protocol": [
      { ...mine, protocol: "x" },
      'agents.json: agents[1] "mine": protocol "x": unknown; valid: acp, rest, mcp, codex, codex-exec, claude-code, gemini, opencode, terminal',
    ],
    "a model flag without a place for the model": [
      { ...mine, model_flag: "--model" },
      'agents.json: agents[1] "mine": model_flag: must contain {model}',
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
    "a word of a command that is no text": [
      { ...mine, cmd: ["x", 1] },
      'agents.json: agents[1] "mine": cmd[1]: must be a string, not a number',
    ],
  };
  test.each(Object.entries(cases))("%s", (_, [entry, message]) => {
    const registry = loadRegistry(home({ agents: [{ ...mine, id: "first" }, entry, { ...mine, id: "last" }] }));
    expect(registry.problems.map((problem) => problem.message)).toEqual([message]);
    expect(registry.enabled.map(({ id }) => id)).toContain("last");
  });

  test("an agent with a bad entry is refused for that reason, a built-in one too", () => {
    const registry = loadRegistry(home([{ id: "claude", permission_settings: { auto_approve: { default: "no" } } }]));
    expect(refusal(() => registry.get("claude"))).toMatchObject({
      code: "config.invalid",
      message: 'agents.json: [0] "claude": permission_settings.auto_approve.default: must be a boolean, not a string',
    });
    expect(registry.enabled.map(({ id }) => id)).not.toContain("claude");
    expect(registry.get("codex").id).toBe("codex");
  });

  test("a file that is no JSON starts nothing, and says where", () => {
    const registry = loadRegistry(home('{\n  "agents": [\n    { "id": "mine", }\n  ]\n}'));
    expect(refusal(() => registry.get("claude"))).toMatchObject({
      code: "config.invalid",
      message: "agents.json: line 3, column 21: this is not JSON",
    });
  });

  test.each([
    ["a number", "1", 'agents.json: must be {"agents": […]} or a list'],
    ["agents that are no list", '{"agents": {}}', "agents.json: agents: must be a list"],
    ["a key at the wrong place", '{"id": "mine"}', 'agents.json: unknown key "id"; the agents belong into "agents"'],
  ])("%s", (_, text, message) => {
    expect(loadRegistry(home(text)).problems.map((problem) => problem.message)).toEqual([message]);
  });

  test("an agent nobody knows: the known ones are named", () => {
    expect(refusal(() => loadRegistry().get("clod"))).toMatchObject({
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
