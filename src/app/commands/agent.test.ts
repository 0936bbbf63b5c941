import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { messageOf } from "../../contract/errors.ts";
import { homeAt } from "../../core/store/home.ts";
import { runsBackward } from "../../core/store/ledger/ledger.ts";
import { TestMachine } from "../../faces/cli/testing/test-agent.ts";
import { testContext } from "../../faces/cli/testing/test-context.ts";
import { systemClock } from "../../lib/base/clock.ts";
import { runCommand } from "../../lib/command/command.ts";
import agent from "./agent.ts";

let machine: TestMachine;
beforeEach(() => {
  machine = new TestMachine();
});
afterEach(() => machine.remove());

async function cox(args: string[], env: NodeJS.ProcessEnv = {}) {
  const made = testContext({ env: { ...machine.env, ...env }, cwd: machine.home });
  const context = { ...made, clock: systemClock }; // a trial is a real run
  const code = await runCommand(agent, args, context);
  return { code, out: context.out(), err: context.err() };
}

const row = (out: string, id: string) => out.split("\n").find((line) => line.startsWith(`${id} `)) ?? "";
const value = (out: string, name: string) =>
  out
    .split("\n")
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length).trim());

describe("ls", () => {
  test("what is installed, what isn't, and what to do about it", async () => {
    machine.program("claude", "echo '2.1.325 (Claude Code)'");
    machine.program("codex", "echo codex-cli 0.166.0");
    machine.program("gemini", "exit 1"); // tells no version
    const { out, code } = await cox(["ls"], { ANTHROPIC_API_KEY: "k" });
    expect(code).toBe(0);
    expect(row(out, "claude")).toMatch(/^claude +installed 2\.1\.325 +claude-code +its own choice$/);
    expect(row(out, "codex")).toMatch(/^codex +0\.166\.0, needs login +codex +its own choice +codex login$/);
    expect(row(out, "gemini")).toMatch(/^gemini +needs login +acp/);
    expect(row(out, "opencode")).toMatch(/ missing .* npm i -g opencode-ai$/);
    expect(row(out, "xai")).toMatch(/ needs login +rest +grok-4\.7 +set XAI_API_KEY/);
    expect(out.indexOf("\nclaude ")).toBeLessThan(out.indexOf("\ncodex ")); // the usable ones first
    expect(out.indexOf("\ndemo ")).toBeLessThan(out.indexOf("\ncodex "));
  });

  test("a version is asked for without the person's keys", async () => {
    machine.program("claude", 'test -z "$ANTHROPIC_API_KEY$OPENAI_API_KEY" && echo 7.7.7');
    const { out } = await cox(["ls"], { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" });
    expect(row(out, "claude")).toContain("installed 7.7.7");
  });

  test("the version of a script is its own, not its interpreter's", async () => {
    const script = join(machine.root, "agent.js");
    machine.file(script, 'if (process.argv.at(-1) === "--version") console.log("agent 4.5.6");');
    machine.agents(
      { id: "mine", name: "Mine", cmd: [process.execPath, script, "--acp"] },
      { id: "ours", name: "Ours", cmd: ["{node}", script] },
      { id: "inline", name: "Inline", cmd: [process.execPath, "-e", "0"] },
    );
    const { out } = await cox(["ls"]);
    expect(row(out, "mine")).toMatch(/^mine +installed 4\.5\.6 /);
    expect(row(out, "ours")).toMatch(/^ours +installed 4\.5\.6 /);
    expect(row(out, "inline")).toMatch(/^inline +installed +acp/);
  });

  test("a profile with a key makes an agent usable, and is named", async () => {
    machine.profile("grok", "agent: xai\ntoken: env:MY_KEY\n");
    expect(row((await cox([])).out, "xai")).toMatch(/ installed .* --profile grok$/);
  });

  test("disabled ones only with --all; wrong entries as warnings", async () => {
    machine.agents({ id: "gemini", enabled: false }, { id: "mine", name: "Mine" });
    const { out, err } = await cox(["ls"]);
    expect(row(out, "gemini")).toBe("");
    expect(err).toBe(
      'cox: warning: agents.json: agents[1] "mine": cmd: required: give cmd (a program on this machine) or image (a container)\n',
    );
    expect(row((await cox(["ls", "--all"])).out, "gemini")).toMatch(/^gemini +disabled/);
  });

  test("as JSON lines", async () => {
    machine.program("codex");
    const lines = (await cox(["ls", "--json"])).out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.find(({ id }) => id === "codex")).toMatchObject({
      state: "needs_login",
      version: "1.2.3",
      program: join(machine.bin, "codex"),
      remedy: "codex login",
    });
  });
});

describe("show", () => {
  test("says where it looked, how it starts, and which limits hold where", async () => {
    machine.program("claude");
    const { out } = await cox(["show", "claude", "--model", "opus"], { ANTHROPIC_API_KEY: "sk-secret" });
    expect(value(out, "state")).toEqual(["installed 1.2.3"]);
    expect(value(out, "looked at")).toContain(`${machine.home}/.claude.json (not there)`);
    expect(value(out, "login")).toEqual(["by the variable ANTHROPIC_API_KEY"]);
    expect(value(out, "command")[0]).toMatch(new RegExp(`^${machine.bin}/claude -p .* --model opus$`));
    expect(value(out, "sets")[0]).toContain("CLAUDE_CODE_MAX_RETRIES");
    expect(value(out, "may inherit")[0]).toContain("CLAUDE_CODE_OAUTH_TOKEN");
    expect(value(out, "switch")[1]).toContain("off by default; --dangerously-skip-permissions");
    expect(value(out, "resume")).toEqual(["by the agent itself"]);
    expect(value(out, "limit")).toEqual([
      "3600 s in all, wherever it runs",
      "4096 MB of memory and 2 CPUs in a container or in Kubernetes; on this machine, also in a sandbox, they don't hold",
    ]);
    expect(out).not.toContain("sk-secret");
  });

  test("of an agent that can't start says why", async () => {
    const { out, code } = await cox(["show", "xai"]);
    expect(code).toBe(0);
    expect(value(out, "start")[0]).toMatch(/^refused: agent xai: XAI_API_KEY is not set/);
    expect(value(out, "models")).toEqual(["grok-4.7, grok-4.6, grok-build-0.1 (as defined)"]);
  });

  test("asks the agent for its models", async () => {
    machine.program("opencode", 'test "$1" = models && echo openai/gpt-5.5 || echo 1.18.33');
    const { out } = await cox(["show", "opencode"]);
    expect(value(out, "models")).toEqual(["openai/gpt-5.5 (as the agent lists them)"]);
  });

  test("with a profile shows what that would start; no secret gets out, as JSON neither", async () => {
    machine.program("codex");
    machine.profile(
      "work",
      "agent: codex\nbase_url: http://127.0.0.1:1/v1\ntoken: sk-stored-secret\nenv: { A: hush-hush }\n",
    );
    const { out } = await cox(["show", "codex", "--profile", "work"]);
    expect(value(out, "command")[0]).toContain("http://127.0.0.1:1/v1");
    expect(value(out, "sets")[0]).toBe("A, BASE_URL, OPENAI_API_KEY");
    const json = (await cox(["show", "codex", "--profile", "work", "--json"])).out;
    expect(JSON.parse(json)).toMatchObject({
      id: "codex",
      origin: "built-in",
      refused: null,
      plan: { env: ["A", "BASE_URL", "OPENAI_API_KEY"], protocol: "codex" },
    });
    expect(out + json).not.toMatch(/sk-stored-secret|hush-hush/);
  });

  test("what its definition says that it can, and whether it gets MCP servers", async () => {
    const mine = { id: "mine", name: "Mine", cmd: ["mine"] };
    machine.program("mine");
    machine.file(join(machine.home, ".mine.json"), "{}");
    machine.agents({
      ...mine,
      capabilities: ["code_review"],
      discovery: {
        supports_mcp: false,
        mcp_config_path: { linux: ["~/.mine.json"], macos: ["~/.mine.json"] },
        discovery_capabilities: { supports_session_resume: true, supports_shell: true, supports_workspace_only: true },
      },
    });
    const { out } = await cox(["show", "mine"]);
    expect(value(out, "can")).toEqual(["code_review, session resume, shell, workspace only"]);
    expect(value(out, "MCP")).toEqual([
      `gets no servers (supports_mcp is false); its own are in ${machine.home}/.mine.json (there)`,
    ]);
    machine.agents(mine);
    expect(value((await cox(["show", "mine"])).out, "MCP")).toEqual([
      "gets the servers of its profile, and the run's own tools",
    ]);
  });

  test("of an agent with a process per turn, the first turn's command", async () => {
    machine.program("mine");
    machine.agents({ id: "mine", name: "Mine", cmd: ["mine", "-o"], protocol: "gemini", model_flag: "-M {model}" });
    const { out } = await cox(["show", "mine", "--model", "big"]);
    expect(value(out, "command")).toEqual([`${machine.bin}/mine -o -M big`]);
    expect(value(out, "in the session")).toEqual([]);
    expect(value(out, "resume")).toEqual(["by --resume SESSION"]);
  });

  test("a disabled one too", async () => {
    machine.agents({ id: "gemini", enabled: false });
    const { out } = await cox(["show", "gemini"]);
    expect(value(out, "enabled")).toEqual(['no; set "enabled": true in agents.json']);
    expect(value(out, "defined")).toEqual(["built in, changed by agents.json"]);
  });
});

describe("test", () => {
  const mine = { id: "mine", name: "Mine", cmd: ["mine", "--acp"] };

  test("is a real run, in a folder of its own", async () => {
    machine.acpAgent("mine");
    machine.agents(mine);
    const { out, code } = await cox(["test", "mine"]);
    expect(code).toBe(0);
    expect(value(out, "agent")).toEqual(["mine 9.8.7"]);
    expect(value(out, "opened")[0]).toMatch(/^after \d/);
    expect(value(out, "answered")[0]).toMatch(/: ready$/);
    expect(value(out, "used")).toEqual(["12 tokens in, 3 out"]);
    expect(existsSync(join(machine.cox, "projects"))).toBe(false);
    expect([...runsBackward(homeAt(machine.cox))]).toEqual([]);
    const { argv, asked, env } = machine.started("mine");
    expect(argv).toEqual(["--acp"]);
    expect(asked.map(({ method }) => method)).toEqual(["initialize", "session/new", "session/prompt"]);
    expect(JSON.stringify(asked.at(-1)?.params)).toContain("Reply with the word ready.");
    expect(env.JRUN_PROJECT_ID).toBe("agent-test");
  });

  test("with a profile: its token, variables, model and switches reach the agent", async () => {
    machine.acpAgent("mine");
    machine.agents({
      ...mine,
      protocol_config: { launch: { token_env: "MINE_KEY", base_url_env: ["MINE_URL"] } },
      permission_settings: {
        effort: { apply_method: "acp", option: "effort=high" },
        fast: { apply_method: "cli_flag", cli_flag: "--fast" },
      },
    });
    machine.profile(
      "p",
      "agent: mine\nmodel: b\nbase_url: http://127.0.0.1:1\ntoken: env:SOURCE\nenv: { EXTRA: x }\nswitches: { effort: true, fast: true }\nmcp_servers: { gh: { command: npx, env: { T: env:SOURCE } } }\n",
    );
    const { code, out } = await cox(["test", "mine", "--profile", "p", "--json"], {
      SOURCE: "tok",
      OPENAI_API_KEY: "other",
    });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ ok: true, model: "b", answer: "ready", error: null });
    const { argv, env, asked } = machine.started("mine");
    expect(argv).toEqual(["--acp", "--fast"]);
    expect(env).toMatchObject({
      MINE_KEY: "tok",
      MINE_URL: "http://127.0.0.1:1",
      BASE_URL: "http://127.0.0.1:1",
      MODEL: "b",
      EXTRA: "x",
    });
    expect(env).not.toHaveProperty("OPENAI_API_KEY");
    expect(asked.filter(({ method }) => method === "session/set_config_option").map(({ params }) => params)).toEqual([
      expect.objectContaining({ configId: "model", value: "b" }),
      expect.objectContaining({ configId: "effort", value: "high" }),
    ]);
    expect(asked[1]?.params).toMatchObject({ mcpServers: [{ name: "gh", env: [{ name: "T", value: "tok" }] }] });
  });

  test("an agent that takes no MCP servers gets none", async () => {
    machine.acpAgent("mine");
    machine.agents({ ...mine, discovery: { supports_mcp: false } });
    machine.profile("p", "agent: mine\nmcp_servers: { gh: { command: npx } }\n");
    expect((await cox(["test", "mine", "--profile", "p"])).code).toBe(0);
    expect(machine.started("mine").asked[1]).toMatchObject({ method: "session/new", params: { mcpServers: [] } });
  });

  test("tells the failure and what to do about it", async () => {
    machine.acpAgent("mine");
    machine.agents({ ...mine, env: { NO_LOGIN: "1" } });
    const { out, code } = await cox(["test", "mine"]);
    expect(code).toBe(1);
    expect(value(out, "opened")).toEqual(["no"]);
    expect(value(out, "failed")[0]).toContain("not logged in");
  });

  test("a switch that the agent doesn't take fails the start by name", async () => {
    machine.acpAgent("mine");
    machine.agents({ ...mine, permission_settings: { web: { default: true, apply_method: "acp", option: "web" } } });
    const { out, code } = await cox(["test", "mine"]);
    expect(code).toBe(1);
    expect(value(out, "failed")[0]).toContain("Mine: set option web");
  });

  test("of an agent that isn't there names the way to get it", async () => {
    await expect(cox(["test", "claude"])).rejects.toThrow(
      expect.objectContaining({
        code: "agent.not_installed",
        message: "agent claude: claude: not found on PATH; get it with: npm i -g @anthropic-ai/claude-code",
      }),
    );
  });
});

test.each([
  [["shw"], /cox agent: shw: unknown; say ls, show, test, start, stop/],
  [["show"], /something is missing; usage: cox agent/],
  [["show", "nobody"], /agent "nobody": unknown; known are claude/],
])("%j is misuse", async (args, message) => {
  const error: unknown = await cox(args).catch((error: unknown) => error);
  expect(messageOf(error)).toMatch(message);
});
