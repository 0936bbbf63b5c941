import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { finished, root } from "../support/cox.ts";
import { type HostedTerminal, startTerminal } from "../support/terminal-host.ts";
import { type Api, startModelServer } from "./model-server.ts";
import { Stage } from "./stage.ts";

/** The real programs on their full screens, in a hosted terminal: nobody presses a key. */
const servers = new Map<Api, Awaited<ReturnType<typeof startModelServer>>>();
beforeAll(async () => {
  for (const api of ["anthropic", "openai", "gemini"] as const) servers.set(api, await startModelServer(api));
});
afterAll(() => {
  for (const server of servers.values()) server.stop();
});

const KEY = "good-key";
const urlOf = (api: Api) => servers.get(api)?.url ?? "";

function start(stage: Stage, command: readonly string[], flags: readonly string[] = []): Promise<HostedTerminal> {
  return startTerminal({ cwd: stage.workspace, env: stage.env, flags: ["--port", "0", ...flags], command });
}

const nudge = async (host: HostedTerminal, message: string) => {
  expect((await host.post("/api/v1/agent/nudge", { message })).json).toMatchObject({ delivered: true });
};
const isIdle = ({ state }: { state: string }) => state === "idle";
const asks = ({ state, prompt }: { state: string; prompt: { ready: boolean } | null }) =>
  state === "prompt" && prompt?.ready === true;

function claudeStage({ trusted = true } = {}): Stage {
  const stage = new Stage("claude-tui", onTestFinished);
  stage.write(".claude.json", {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: [KEY], rejected: [] },
    projects: trusted ? { [stage.workspace]: { hasTrustDialogAccepted: true } } : {},
  });
  Object.assign(stage.env, {
    ANTHROPIC_BASE_URL: urlOf("anthropic"),
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  });
  return stage;
}
describe("claude on its screen", () => {
  const command = ["claude", "--permission-mode", "manual"];

  test("reaches idle, takes a nudge, asks, is answered, and exits when it is told to", async () => {
    const stage = claudeStage();
    const host = await start(stage, command);
    await host.agent(isIdle);
    await nudge(host, "hello there");
    await host.agent(({ state, last_message }) => state === "idle" && last_message?.includes("Hello from fake model"));

    await nudge(host, "@bash touch made.txt");
    // The screen or the hook may be the first to tell; together they know all of it.
    const { prompt } = await host.agent(
      (agent) => asks(agent) && agent.prompt.tool === "Bash" && !agent.prompt.options_fallback,
    );
    expect(prompt.type).toBe("permission");
    expect([prompt.options[0], prompt.options.at(-1)]).toEqual(["Yes", "No"]);
    expect(existsSync(join(stage.workspace, "made.txt"))).toBe(false);
    expect((await host.post("/api/v1/agent/respond", { accept: true })).json).toEqual({
      delivered: true,
      prompt_type: "permission",
    });
    await host.agent(({ state, last_message }) => state === "idle" && last_message?.startsWith("Done."));
    expect(existsSync(join(stage.workspace, "made.txt"))).toBe(true);

    await nudge(host, "@bash touch refused.txt");
    await host.agent(asks);
    await host.post("/api/v1/agent/respond", { accept: false });
    await host.agent(isIdle);
    expect(existsSync(join(stage.workspace, "refused.txt"))).toBe(false);

    expect((await host.get("/api/v1/session/usage")).json.request_count).toBeGreaterThan(2);
    const { json } = await host.get("/api/v1/events/catchup?since_seq=0&since_hook_seq=0");
    expect(json.hook_events[0]).toMatchObject({ hook_seq: 1, json: { event: "start" } });
    const began = performance.now();
    expect([0, 129]).toContain((await host.stop()).code);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test("a folder it doesn't trust, a question in two parts, and a restart in the same conversation", async () => {
    const host = await start(claudeStage({ trusted: false }), command);
    await host.agent(isIdle);
    const option = (label: string) => ({ label, description: label });
    const questions = [
      { question: "Which colour?", header: "Colour", multiSelect: false, options: [option("red"), option("blue")] },
      { question: "How big?", header: "Size", multiSelect: false, options: [option("small"), option("large")] },
    ];
    await nudge(host, `@call AskUserQuestion ${JSON.stringify({ questions })}`);
    const { prompt } = await host.agent(asks);
    expect(prompt).toMatchObject({
      type: "question",
      questions: [{ question: "Which colour?", options: ["red", "blue"] }, {}],
    });
    const answers = [{ option: 2 }, { text: "huge" }];
    expect((await host.post("/api/v1/agent/respond", { answers })).json.delivered).toBe(true);
    await host.agent(
      ({ last_message }) =>
        last_message?.includes('"Which colour?"="blue"') && last_message.includes('"How big?"="huge"'),
    );
    await host.agent(isIdle);

    const before = (await host.agent()).since_seq;
    expect((await host.post("/api/v1/session/restart")).status).toBe(202);
    await host.agent(({ since_seq }) => since_seq > before + 1);
    await host.agent(isIdle);
    await nudge(host, "@recall");
    await host.agent(({ last_message }) => /So far you said: .*AskUserQuestion/s.test(last_message ?? ""));
  });

  test("is held back from stopping until it has said how it stands", async () => {
    const config = JSON.stringify({ stop: { mode: "auto" } });
    const host = await start(claudeStage(), command, ["--agent-config", config]);
    const events = await host.ws("subscribe=state").open();
    await host.agent(isIdle);
    await nudge(host, "hello");
    await events.until(({ event, type }) => event === "stop:outcome" && type === "blocked");
    await events.until(({ event, type }) => event === "stop:outcome" && type === "safety_valve");
    await host.agent(isIdle);
    expect((await host.get("/api/v1/screen/text")).text).toContain("cox send");
  });
});

test("claude on its screen, as a run: its prompts are typed, its questions are requests", async () => {
  const stage = claudeStage();
  const agent = {
    id: "tui",
    name: "Claude on its screen",
    cmd: ["claude", "--permission-mode", "manual"],
    protocol: "terminal",
    protocol_config: { driver: "claude" },
    keep_env: ["ANTHROPIC_API_KEY"],
  };
  writeFileSync(join(stage.coxHome, "agents.json"), JSON.stringify({ agents: [agent] }));
  const args = ["run", "-q", "--no-preamble", "--permissions", "allow", "--agent", "tui", "@bash touch made.txt"];
  const env = { ...stage.env, COX_HOME: stage.coxHome };
  const child = spawn(process.execPath, [join(root, "bin/cox"), ...args], { cwd: stage.workspace, env });
  child.stdin.end();
  const { code, stdout, stderr } = await finished(child);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("Done. tool said");
  expect(existsSync(join(stage.workspace, "made.txt"))).toBe(true);
});

test("codex reaches idle, takes a nudge, asks, and is answered", async () => {
  const stage = new Stage("codex-tui", onTestFinished);
  stage.env.FAKE_API_KEY = KEY;
  stage.write(
    ".codex/config.toml",
    `model = "gpt-5.5"
model_provider = "fake"
approval_policy = "on-request"
check_for_update_on_startup = false
[features]
plugins = false
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "${urlOf("openai")}/v1"
env_key = "FAKE_API_KEY"
wire_api = "responses"
`,
  );
  const host = await start(stage, ["codex"]);
  // It comes up idle, and then asks once whether it may use a newer model.
  const events = await host.ws("subscribe=state&since_seq=0").open();
  await events.until(({ event, subtype }) => event === "prompt:outcome" && subtype === "model_upgrade");
  await host.agent(isIdle);
  await nudge(host, "hello there");
  await host.shows(/Hello from fake model gpt-5\.5\. You said: .*hello there/s);
  await host.agent(isIdle);
  const call = { cmd: "touch made.txt", sandbox_permissions: "require_escalated", justification: "because" };
  await nudge(host, `@call exec_command ${JSON.stringify(call)}`);
  const { prompt } = await host.agent(asks);
  expect(prompt).toMatchObject({ type: "permission", input: "touch made.txt" });
  expect((await host.post("/api/v1/agent/respond", { accept: true })).json.delivered).toBe(true);
  await host.shows(/Done\. tool said/);
  await host.agent(isIdle);
  expect(existsSync(join(stage.workspace, "made.txt"))).toBe(true);
});

test("gemini reaches idle through its trust dialog and its own restart, takes a nudge, asks, and is answered", async () => {
  const stage = new Stage("gemini-tui", onTestFinished);
  Object.assign(stage.env, {
    GEMINI_API_KEY: KEY,
    GOOGLE_GEMINI_BASE_URL: urlOf("gemini"),
    GEMINI_CLI_NO_RELAUNCH: "true",
  });
  stage.write(".gemini/settings.json", {
    security: { auth: { selectedType: "gemini-api-key" } },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 1 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  });
  const host = await start(stage, ["gemini"]);
  const events = await host.ws("subscribe=state&since_seq=0").open();
  await events.until(({ next, cause }) => next === "starting" && cause === "restart");
  await host.agent(isIdle);
  await nudge(host, "hello there");
  await host.shows(/Hello from fake model/);
  await host.agent(isIdle);
  await nudge(host, "@bash touch made.txt");
  const { prompt } = await host.agent(asks);
  expect(prompt).toMatchObject({ type: "permission", subtype: "tool", tool: "Shell" });
  expect((await host.post("/api/v1/agent/respond", { accept: true })).json.delivered).toBe(true);
  await host.shows(/Done\. tool said/);
  expect(existsSync(join(stage.workspace, "made.txt"))).toBe(true);
});
