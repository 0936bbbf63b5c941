import { describe, expect, test } from "vitest";
import { AgentDefinition } from "../registry/definition-schema.ts";
import { Registry } from "../registry/registry.ts";
import { type LaunchWishes, planLaunch } from "./launch.ts";
import { modelArguments } from "./turn-words.ts";

const registry = new Registry();
const own = { node: "/usr/bin/node", package: "/opt/cox" };
const caller = { HOME: "/home/ann", PATH: "/usr/bin" };

type Some = Partial<Omit<LaunchWishes, "definition">>;
const plan = (id: string, wishes: Some = {}) =>
  planLaunch({ definition: registry.get(id), workspace: "/w", permissions: "ask", own, caller, ...wishes });

const mine = (fields: object) => AgentDefinition.parse({ id: "mine", name: "Mine", cmd: ["agent"], ...fields });
const planMine = (fields: object, wishes: Some = {}) =>
  planLaunch({ definition: mine(fields), workspace: "/w", permissions: "ask", own, caller, ...wishes });

describe("argv", () => {
  const claude =
    "claude -p --input-format stream-json --output-format stream-json --verbose --include-partial-messages --permission-prompt-tool stdio";
  const codex = "codex app-server -c check_for_update_on_startup=false -c allow_login_shell=false";
  const cases: Record<string, [id: string, wishes: Some, argv: string]> = {
    claude: ["claude", {}, claude],
    "claude with a model": ["claude", { model: "opus[1m]" }, `${claude} --model opus[1m]`],
    "claude without permissions": [
      "claude",
      { profile: { switches: { dangerously_skip_permissions: true } } },
      `${claude} --dangerously-skip-permissions`,
    ],
    codex: ["codex", {}, codex],
    "codex with a model": ["codex", { model: "gpt-5.5" }, `${codex} -c model="gpt-5.5"`],
    "gemini with a model": ["gemini", { model: "gemini-2.5-pro" }, "gemini --acp --model gemini-2.5-pro"],
    "opencode takes its model in the session": ["opencode", { model: "anthropic/claude-sonnet-5" }, "opencode acp"],
    "claude over ACP": ["claude-acp", {}, "claude-agent-acp"],
    "the demo": ["demo", {}, "/usr/bin/node /opt/cox/dist/demo.cjs"],
    "auggie asks for each tool": [
      "auggie",
      { model: "m" },
      "auggie --acp --model m --workspace-root /w --permission launch-process:ask-user --permission save-file:ask-user --permission str-replace-editor:ask-user --permission remove-files:ask-user",
    ],
    "auggie needn't ask when everything is allowed": [
      "auggie",
      { permissions: "allow" },
      "auggie --acp --workspace-root /w",
    ],
    "auggie needn't ask with its switch on": [
      "auggie",
      { profile: { switches: { auto_approve: true, allow_indexing: true } } },
      "auggie --acp --workspace-root /w --allow-indexing",
    ],
    "REST has none": ["xai", { profile: { token: "k" }, model: "grok-4.7" }, ""],
  };
  test.each(Object.entries(cases))("%s", (_, [id, wishes, argv]) => {
    expect(plan(id, wishes).argv.join(" ")).toBe(argv);
  });

  test.each([
    ["--model {model}", ["--model", "M"]],
    ['-c model="{model}"', ["-c", 'model="M"']],
    ["--model={model}", ["--model=M"]],
    ["-c  model='{model} x'", ["-c", "model='M x'"]],
    ["", []],
  ])("the model flag %s", (flag, args) => {
    expect(modelArguments(flag, "M")).toEqual(args);
  });

  test.each(['x" sandbox_mode="off', "--yolo", "a b", "a\nb", "$(id)"])("a model called %j is refused", (model) => {
    expect(() => plan("codex", { model })).toThrow(expect.objectContaining({ code: "usage.invalid" }));
  });

  test("placeholders are filled once: a folder may be called like one", () => {
    const { argv, cwd, env } = planMine(
      { cmd: ["agent", "{workspace}", "{home}/x"], working_dir: "{workspace}/src", env: { WHERE: "{home}" } },
      { workspace: "/w/{home}" },
    );
    expect(argv).toEqual(["agent", "/w/{home}", "/home/ann/x"]);
    expect(cwd).toBe("/w/{home}/src");
    expect(env.WHERE).toBe("/home/ann");
  });

  test("resume by flag comes last; natively and by context argv stays", () => {
    const resume = { sessionId: "s1" };
    expect(planMine({ session_config: { resume_flag: "--resume" } }, { resume }).argv).toEqual([
      "agent",
      "--resume",
      "s1",
    ]);
    expect(plan("claude", { resume })).toMatchObject({ resume: { by: "native" } });
    expect(plan("claude", { resume }).argv).not.toContain("s1");
    expect(plan("gemini", { resume })).toMatchObject({ argv: ["gemini", "--acp"], resume: { by: "context" } });
  });
});

describe("switches", () => {
  const setting = (key: string, fields: object) => ({ permission_settings: { [key]: fields } });
  const on = (key: string) => ({ profile: { switches: { [key]: true } } });

  test("keep the order of the file, by their own ways", () => {
    const fields = {
      permission_settings: {
        zeta: { apply_method: "cli_flag", cli_flag: "--yolo --allowed-tools  shell" },
        alpha: { apply_method: "cli_flag", cli_flag: "--mode", cli_flag_value: "very fast" },
        quiet: { apply_method: "env", env: "QUIET=a=b" },
        effort: { apply_method: "acp", option: "effort=high" },
        web: { apply_method: "stdio", option: "web" },
        off: { apply_method: "cli_flag", cli_flag: "--off" },
        usual: { default: true, apply_method: "cli_flag", cli_flag: "--usual" },
      },
    };
    const switches = { effort: true, web: true, alpha: true, zeta: true, quiet: true };
    const { argv, env, options } = planMine(fields, { profile: { switches } });
    expect(argv).toEqual(["agent", "--yolo", "--allowed-tools", "shell", "--mode", "very fast", "--usual"]);
    expect(env.QUIET).toBe("a=b");
    expect(options).toEqual([
      { id: "effort", value: "high" },
      { id: "web", value: true },
    ]);
    expect(planMine(fields, { profile: { switches: { usual: false } } }).argv).toEqual(["agent"]);
  });

  test("auto_approve without an option makes us say yes", () => {
    expect(plan("codex", on("auto_approve")).approve).toBe(true);
    expect(plan("codex").approve).toBe(false);
  });

  test("who denies everything doesn't approve everything", () => {
    const denied = plan("opencode", { ...on("auto_approve"), permissions: "deny" });
    expect(denied.approve).toBe(false);
    expect(denied.env.OPENCODE_PERMISSION).toContain('"bash":"ask"');
  });

  test("to allow everything turns it on where an agent can't ask", () => {
    const yolo = setting("auto_approve", { apply_method: "cli_flag", cli_flag: "--yolo" });
    const allow = { permissions: "allow" } as const;
    expect(planMine({ ...yolo, protocol: "gemini" }, allow).argv).toEqual(["agent", "--yolo"]);
    expect(planMine({ ...yolo, protocol: "acp" }, allow).argv).toEqual(["agent"]);
    const not = { ...allow, profile: { switches: { auto_approve: false } } };
    expect(planMine({ ...yolo, protocol: "gemini" }, not).argv).toEqual(["agent"]);
  });

  test("one that the agent doesn't have, or doesn't support, is refused", () => {
    expect(() => plan("claude", on("yolo"))).toThrow(
      "switch yolo: agent claude has no such switch; it has auto_approve, dangerously_skip_permissions",
    );
    const hidden = setting("fast", { supported: false, default: true, apply_method: "cli_flag", cli_flag: "--fast" });
    expect(planMine(hidden).argv).toEqual(["agent"]);
    expect(() => planMine(hidden, on("fast"))).toThrow("it has none");
  });
});

describe("required variables", () => {
  const needy = { required_env: ["MY_KEY", "MY_ORG"] };
  test("that are missing refuse the start by name", () => {
    expect(() => planMine(needy, { caller: { MY_ORG: "o", MY_KEY: "" } })).toThrow(
      expect.objectContaining({
        code: "agent.not_ready",
        message: expect.stringMatching(
          /^agent mine: MY_KEY is not set; .*cox profile set NAME --agent mine --token -$/,
        ),
      }),
    );
  });
  test("may come from the caller, the run, the profile and the definition", () => {
    expect(planMine(needy, { caller: { MY_KEY: "k" }, runEnv: { MY_ORG: "o" } }).env).toEqual({});
    const env = { MY_KEY: "k" };
    expect(planMine({ ...needy, env: { MY_ORG: "o" } }, { profile: { env } }).env).toEqual({
      MY_KEY: "k",
      MY_ORG: "o",
    });
  });
});

describe("environment", () => {
  test("quiet: no updates, no telemetry, bounded retries", () => {
    expect(plan("claude").env).toEqual({
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "3",
    });
    expect(plan("gemini").env).toMatchObject({ GEMINI_CLI_NO_RELAUNCH: "true" });
    expect(plan("opencode").env).toMatchObject({ OPENCODE_DISABLE_AUTOUPDATE: "1" });
  });

  test("no workspace is trusted in the person's name; what holds in a fence holds there alone", () => {
    expect(plan("gemini").env).not.toHaveProperty("GEMINI_CLI_TRUST_WORKSPACE");
    expect(plan("claude").env).not.toHaveProperty("IS_SANDBOX");
    expect(plan("claude", { isolated: { home: "/h" } }).env.IS_SANDBOX).toBe("1");
  });

  test("an agent's own sandbox is left out inside ours, unless everything is denied or the entry says otherwise", () => {
    const isolated = { home: "/h" };
    expect(plan("codex").config).toEqual({});
    expect(plan("codex", { isolated }).config).toEqual({ sandbox: "danger-full-access" });
    expect(plan("codex", { isolated, permissions: "deny" }).config).toEqual({});
    const launch = { isolated_config: { sandbox: "none" } };
    expect(planMine({ protocol_config: { launch, sandbox: "mine" } }, { isolated }).config).toEqual({
      sandbox: "mine",
    });
  });

  test("OpenCode is told to ask, unless everything is allowed", () => {
    expect(plan("opencode").env.OPENCODE_PERMISSION).toContain("ask");
    expect(plan("opencode", { permissions: "deny" }).env.OPENCODE_PERMISSION).toContain("ask");
    expect(plan("opencode", { permissions: "allow" }).env).not.toHaveProperty("OPENCODE_PERMISSION");
  });

  test("the profile's variables go over the definition's, its token over all", () => {
    const profile = { env: { CLAUDE_CODE_MAX_RETRIES: "0", ANTHROPIC_API_KEY: "from env" }, token: "sk-token" };
    expect(plan("claude", { profile }).env).toMatchObject({
      CLAUDE_CODE_MAX_RETRIES: "0",
      ANTHROPIC_API_KEY: "sk-token",
    });
  });
});

describe("homes", () => {
  const set = {
    caller: { ...caller, CLAUDE_CONFIG_DIR: "/c", CODEX_HOME: "/x", GEMINI_CLI_HOME: "/g", XDG_DATA_HOME: "/d" },
  };
  test("are the person's own: named where the caller names them, for a clean environment too", () => {
    expect(plan("claude", set).env.CLAUDE_CONFIG_DIR).toBe("/c");
    expect(plan("codex", set).env.CODEX_HOME).toBe("/x");
    expect(plan("gemini", set).env.GEMINI_CLI_HOME).toBe("/g");
    expect(plan("opencode", set).env.XDG_DATA_HOME).toBe("/d");
  });

  test("and left alone otherwise, but for Gemini, which would take it from a repository's .env", () => {
    expect(plan("claude").env).not.toHaveProperty("CLAUDE_CONFIG_DIR");
    expect(plan("codex").env).not.toHaveProperty("CODEX_HOME");
    expect(plan("opencode").env).not.toHaveProperty("XDG_DATA_HOME");
    expect(plan("gemini").env.GEMINI_CLI_HOME).toBe("/home/ann");
  });

  test("private ones lie where they are told to, whatever the caller has", () => {
    const wishes = { ...set, profile: { home: "private" as const }, privateHome: "/cox/homes/a" };
    expect(plan("claude", wishes)).toMatchObject({
      privateHome: "/cox/homes/a",
      env: { CLAUDE_CONFIG_DIR: "/cox/homes/a" },
    });
    expect(plan("codex", wishes).env.CODEX_HOME).toBe("/cox/homes/a");
    expect(plan("gemini", wishes).env.GEMINI_CLI_HOME).toBe("/cox/homes/a");
    expect(plan("opencode", wishes).env).toMatchObject({
      XDG_DATA_HOME: "/cox/homes/a/data",
      XDG_CONFIG_HOME: "/cox/homes/a/config",
    });
    expect(plan("claude", set).privateHome).toBeUndefined();
  });

  test("of an agent that doesn't say where it keeps things can't be private, unless it is isolated", () => {
    const wishes = { profile: { home: "private" as const }, privateHome: "/p" };
    expect(() => planMine({}, wishes)).toThrow(/home private: agent mine doesn't say where it keeps its things/);
    expect(planMine({}, { ...wishes, isolated: { home: "/h" } }).privateHome).toBe("/p");
  });

  test("of an isolated agent are those it finds there, not what the caller's variables name", () => {
    const isolated = { home: "/inside" };
    expect(plan("claude", { ...set, isolated }).env).not.toHaveProperty("CLAUDE_CONFIG_DIR");
    expect(plan("gemini", { ...set, isolated }).env.GEMINI_CLI_HOME).toBe("/inside");
    const kept = { ...set, isolated, profile: { home: "private" as const }, privateHome: "/cox/homes/a" };
    expect(plan("claude", kept)).toMatchObject({
      privateHome: "/cox/homes/a",
      env: { CLAUDE_CONFIG_DIR: "/inside" },
    });
  });
});

test("a timeout is in milliseconds, whoever runs it", () => {
  expect(planMine({ resource_limits: { timeout_seconds: 90 } }).timeoutMs).toBe(90_000);
});

test("what a container needs is filled in, the sessions' folder included", () => {
  const { container, mounts } = planMine(
    {
      entrypoint: ["/init"],
      mounts: [{ source: "{home}/.cache/{task_id}", target: "/cache", read_only: true }],
      session_config: { session_dir_template: "{home}/.agent", session_dir_target: "{home}/.agent" },
      resource_limits: { memory_mb: 512, cpu_cores: 1 },
    },
    { task: "t1", isolated: { home: "/inside", image: "me/agent:1" } },
  );
  expect(container).toEqual({ image: "me/agent:1", entrypoint: ["/init"], memoryMb: 512, cpuCores: 1 });
  expect(mounts).toEqual([
    { source: "/home/ann/.cache/t1", target: "/cache", readOnly: true },
    { source: "/home/ann/.agent", target: "/inside/.agent", readOnly: false },
  ]);
  expect(planMine({}).container).toBeUndefined();
});

test("an agent that is only an image can't be started on this machine, but in its container", () => {
  const image = { cmd: [], image: "me/agent", model_flag: "--model {model}" };
  expect(() => planMine(image)).toThrow(expect.objectContaining({ code: "agent.not_ready" }));
  const isolated = { home: "/inside", image: "me/agent:latest" };
  expect(planMine(image, { isolated, model: "m" }).argv).toEqual(["--model", "m"]);
});
