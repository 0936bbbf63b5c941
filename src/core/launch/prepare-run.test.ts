import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { messageOf } from "../../contract/errors.ts";
import { decideQuestion } from "../../contract/requests/policy.ts";
import { TaskFile } from "../../contract/tasks/task-file.ts";
import { requestOf } from "../../faces/cli/run-options.ts";
import { TestMachine } from "../../faces/cli/testing/test-agent.ts";
import { testContext } from "../../faces/cli/testing/test-context.ts";
import { TestHome } from "../../faces/cli/testing/test-home.ts";
import { systemClock } from "../../lib/base/clock.ts";
import { homePath, openHome } from "../store/home.ts";
import { createTask } from "../tasks/create.ts";
import { decideRequest } from "./decide-request.ts";
import { prepareRun } from "./prepare-run.ts";
import { Settings } from "./settings.ts";

let machine: TestMachine;
beforeEach(() => {
  machine = new TestMachine();
  machine.acpAgent("mine");
  machine.agents({
    id: "mine",
    name: "Mine",
    cmd: ["mine"],
    protocol_config: { launch: { token_env: "MINE_KEY", home_env: { MINE_HOME: "{dir}/x" } } },
    permission_settings: { auto_approve: { apply_method: "acp" } },
    model_config: { default_model: "small" },
  });
});
afterEach(() => machine.remove());

type Values = Parameters<typeof requestOf>[0];

const settings = (env: NodeJS.ProcessEnv) => new Settings(homePath(env));

async function decide(values: Values, env: NodeJS.ProcessEnv = {}) {
  const context = testContext({ env: { ...machine.env, ...env }, cwd: machine.home });
  const { request } = await decideRequest(await requestOf(values, ["hello"], context), context, settings(context.env));
  return request;
}

async function prepare(values: Values, env: NodeJS.ProcessEnv = {}) {
  return prepareRun(
    await decide(values, env),
    { env: { ...machine.env, ...env }, clock: systemClock },
    settings(machine.env),
  );
}
const refusal = async (values: Values) => messageOf(await prepare(values).catch((error: unknown) => error));

test.each<[string, Values, string, string, string | undefined]>([
  ["the option", { timeout: "2m" }, "timeout: 60\n", "--timeout", undefined],
  ["the config", {}, "timeout: 60\nidle_timeout: 5\n", "timeout in config.yaml", "idle_timeout in config.yaml"],
  ["the agent's entry", {}, "", "resource_limits.timeout_seconds of mine in agents.json", undefined],
])("a limit says where it is from: %s", async (_, values, config, timeoutFrom, idleTimeoutFrom) => {
  writeFileSync(join(homePath(machine.env), "config.yaml"), config);
  const { limits } = await prepare({ agent: "mine", ...values });
  expect(limits).toMatchObject({ timeoutFrom, ...(idleTimeoutFrom === undefined ? {} : { idleTimeoutFrom }) });
});

test("what helps against a question is not what helps against a permission", async () => {
  const { policy } = await prepare({ agent: "mine", permissions: "allow" });
  expect(decideQuestion(policy)).toMatchObject({ reason: expect.not.stringContaining("--permissions") });
});

describe("--task of a task that exists", () => {
  const create = (fields: object) =>
    createTask(
      openHome(machine.cox),
      {
        ...TaskFile.parse({ title: "Fix", prompt: "fix it", workspace: machine.home, ...fields }),
        project: "home",
        task: "fix",
      },
      0,
    );

  test("its agent and terms are the run's, and its prompt where none is given", async () => {
    await create({ agent: "mine", model: "big", permissions: "deny", limits: { timeout: 60 }, tools: false });
    const context = testContext({ env: machine.env, cwd: machine.home });
    const bare = await requestOf({ task: "fix" }, [], context);
    const { request } = await decideRequest(bare, context, settings(machine.env));
    expect(request).toMatchObject({
      who: { agent: "mine", model: "big" },
      what: { prompt: [{ text: "fix it" }], tools: false },
      where: { project: "home", task: "fix", workspace: machine.home },
      limits: { permissions: "deny", timeoutMs: 60_000 },
    });
    expect(await decide({ task: "fix", model: "small" })).toMatchObject({
      who: { agent: "mine", model: "small" },
      what: { prompt: [{ text: "hello" }] },
      where: { task: "fix" },
    });
  });

  test("a run in a worktree is reviewed if it changed something; what is said otherwise holds", async () => {
    expect((await decide({ worktree: true })).what.review).toBe("changes");
    expect((await decide({ worktree: true, "no-review": true })).what.review).toBe(false);
    expect((await decide({})).what.review).toBeUndefined();
    expect((await decide({ review: true })).what.review).toBe(true);
    await create({ worktree: { base: "main" }, agent: "mine" });
    expect(await decide({ task: "fix" })).toMatchObject({
      what: { review: "changes" },
      where: { worktree: { base: "main" } },
    });
    expect((await decide({ task: "fix", cwd: machine.home })).where.worktree).toBeUndefined();
  });
});

test("a model behind an API is told its prompt alone: no commands, no paths of this machine", async () => {
  machine.agents({
    id: "api",
    name: "API",
    protocol: "rest",
    protocol_config: { base_url: "http://127.0.0.1:1/v1", api_key_env: "" },
  });
  expect((await prepare({ agent: "api" })).what.preamble).toBe(false);
  machine.agents({ id: "mine", name: "Mine", cmd: ["mine"] });
  expect((await prepare({ agent: "mine", "no-tools": true })).what.preamble).toBeUndefined();
});

describe("--profile", () => {
  test("gives agent, model, permissions and keys; no secret is in the request", async () => {
    machine.profile("work", "agent: mine\nmodel: big\npermissions: { default: deny, read: allow }\ntoken: sk-hidden\n");
    const asked = await decide({ profile: "work" });
    expect(asked).toMatchObject({
      who: { agent: "mine", profile: "work", model: "big" },
      limits: { permissions: "deny", permissionKinds: { read: "allow" } },
    });
    expect(JSON.stringify(asked)).not.toContain("sk-hidden");
    const spec = await prepare({ profile: "work" });
    expect(spec).toMatchObject({
      who: { profile: "work" },
      policy: { default: "deny", kinds: { read: "allow" } },
      plan: { modelName: "big", env: { MINE_KEY: "sk-hidden", MODEL: "big" } },
    });
  });

  test("gives way to what the command line says", async () => {
    machine.profile("work", "agent: mine\nmodel: big\npermissions: { default: deny, read: allow }\n");
    const asked = await decide({ profile: "work", model: "other", permissions: "allow" });
    expect(asked).toMatchObject({
      who: { model: "other" },
      limits: { permissions: "allow", permissionKinds: undefined },
    });
  });

  test("that every agent has is called like it, and has its default model", async () => {
    expect((await decide({ profile: "mine" })).who).toMatchObject({ agent: "mine", profile: "", model: "small" });
    expect((await prepare({ agent: "mine" })).plan.modelName).toBe("small");
  });

  test("for another agent than --agent is refused", async () => {
    machine.profile("work", "agent: mine\n");
    expect(await refusal({ profile: "work", agent: "claude" })).toBe(
      "--agent claude: profile work is for mine; give one of the two",
    );
  });

  test("nobody made is refused", async () => {
    expect(await refusal({ profile: "play" })).toMatch(/^profile play: not found; there are none yet/);
  });

  test("with auto_approve says yes to everything but what it denies", async () => {
    machine.profile("yes", "agent: mine\nswitches: { auto_approve: true }\npermissions: { execute: deny }\n");
    expect((await prepare({ profile: "yes" })).policy).toMatchObject({ default: "allow", kinds: { execute: "deny" } });
  });

  test("with a private home makes it, for this account alone", async () => {
    machine.profile("own", "agent: mine\nhome: private\n");
    const { plan } = await prepare({ profile: "own" });
    const folder = join(machine.cox, "homes", "mine");
    expect(plan.env.MINE_HOME).toBe(join(folder, "x"));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
});

describe("the program", () => {
  test("is found before anything is made", async () => {
    machine.agents({ id: "gone", name: "Gone", cmd: ["gone"], install_command: "npm i -g gone" });
    expect(await refusal({ agent: "gone" })).toBe("agent gone: gone: not found on PATH; get it with: npm i -g gone");
    expect(existsSync(join(machine.cox, "hosts"))).toBe(false);
  });

  test("may lie where its installer puts it", async () => {
    machine.file(join(machine.home, ".local/bin/far"), "");
    machine.agents({
      id: "far",
      name: "Far",
      cmd: ["far", "--acp"],
      discovery: { installation_path: { linux: ["~/.local/bin/far"], macos: ["~/.local/bin/far"] } },
    });
    expect(await refusal({ agent: "far" })).toContain("put far on your PATH"); // it isn't executable
    machine.program("far");
    expect((await prepare({ agent: "far" })).plan.argv).toEqual([join(machine.bin, "far"), "--acp"]);
  });
});

describe("a codex with nothing but a key in the environment", () => {
  test("gets a provider that uses it; one with a login is left alone", async () => {
    machine.program("codex");
    const key = { OPENAI_API_KEY: "k" };
    expect((await prepare({ agent: "codex" }, key)).plan.argv.join(" ")).toContain('env_key="OPENAI_API_KEY"');
    machine.file(join(machine.home, ".codex/auth.json"), "{}");
    expect((await prepare({ agent: "codex" }, key)).plan.argv.join(" ")).not.toContain("model_provider");
  });
});

describe("--resume", () => {
  let home: TestHome;
  beforeEach(() => {
    home = new TestHome();
    machine.env.COX_HOME = home.root;
    machine.file(join(home.root, "agents.json"), JSON.stringify([{ id: "mine", name: "Mine", cmd: ["mine"] }]));
  });
  afterEach(() => home.remove());

  test("tells an agent that can't load it what was said before", async () => {
    const earlier = home.addRun(
      [
        { type: "user_message", promptId: "p", content: [{ type: "text", text: "count to three" }], delivery: "start" },
        { type: "turn_started", turn: "t" },
        { type: "message_chunk", turn: "t", messageId: "m", text: "one, two" },
      ],
      { agent: "mine", session_id: "s-old", cwd: machine.home, model: "" },
    );
    const { recall, plan, lineage } = await prepare({ resume: earlier.id });
    expect(plan.resume).toEqual({ by: "context", sessionId: "s-old" });
    expect(recall).toContain("User: count to three\n\nYou: one, two");
    expect(lineage.previous).toBe(earlier.id);
    expect((await prepare({ agent: "mine" })).recall).toBeUndefined();
  });

  test("keeps the profile of the run, unless another agent takes over", async () => {
    machine.file(join(home.root, "profiles/work.yaml"), "agent: mine\nmodel: big\n");
    const fields = { agent: "mine", profile: "work", model: "bigger", session_id: "s", cwd: machine.home };
    const earlier = home.addRun([], fields);
    const same = await decide({ resume: earlier.id });
    expect(same.who).toMatchObject({ agent: "mine", profile: "work", model: "bigger" });
    const other = await decide({ resume: earlier.id, agent: "demo" });
    expect(other.who).toMatchObject({ agent: "demo", profile: "", model: undefined });
  });

  test("hands it to another agent by telling it, whatever that one could load itself", async () => {
    const earlier = home.addRun(
      [{ type: "user_message", promptId: "p", content: [{ type: "text", text: "count" }], delivery: "start" }],
      { agent: "mine", session_id: "s-old", cwd: machine.home },
    );
    const { plan, recall } = await prepare({ resume: earlier.id, agent: "demo" });
    expect(plan.resume?.by).toBe("context");
    expect(recall).toContain("User: count");
  });
});
