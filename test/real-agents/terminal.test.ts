import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTerminal } from "../support/terminal-host.ts";
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

function claudeStage(seeded = true): Stage {
  const stage = new Stage("claude-tui", onTestFinished);
  const known = {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: [KEY], rejected: [] },
    projects: seeded ? { [stage.workspace]: { hasTrustDialogAccepted: true } } : {},
  };
  stage.write(".claude.json", known);
  Object.assign(stage.env, {
    ANTHROPIC_BASE_URL: servers.get("anthropic")?.url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  });
  return stage;
}

const claude = (stage: Stage, flags: readonly string[] = []) =>
  startTerminal({
    cwd: stage.workspace,
    env: stage.env,
    flags: ["--port", "0", ...flags],
    command: ["claude", "--permission-mode", "manual"],
  });

describe("claude", () => {
  test("reaches idle, takes a nudge, asks, is answered, and exits when it is told to", async () => {
    const stage = claudeStage();
    const host = await claude(stage);
    await host.agent(({ state }) => state === "idle");
    const nudged = await host.post("/api/v1/agent/nudge", { message: "hello there" });
    expect(nudged.json).toEqual({ delivered: true, state_before: "idle" });
    const answered = await host.agent(({ last_message }) => last_message?.includes("Hello from fake model"));
    expect(answered.agent).toBe("claude");
    await host.agent(({ state }) => state === "idle");

    await host.post("/api/v1/agent/nudge", { message: "@bash touch made.txt" });
    const asking = await host.agent(({ state, prompt }) => state === "prompt" && prompt.ready);
    expect(asking.prompt.type).toBe("permission");
    expect(asking.prompt.options[0]).toBe("Yes");
    expect(asking.prompt.tool).toBe("Bash");
    expect(existsSync(join(stage.workspace, "made.txt"))).toBe(false);
    const responded = await host.post("/api/v1/agent/respond", { accept: true });
    expect(responded.json).toEqual({ delivered: true, prompt_type: "permission" });
    await host.agent(({ state, last_message }) => state === "idle" && last_message?.startsWith("Done."));
    expect(existsSync(join(stage.workspace, "made.txt"))).toBe(true);

    await host.post("/api/v1/agent/nudge", { message: "@bash touch refused.txt" });
    await host.agent(({ state, prompt }) => state === "prompt" && prompt.ready);
    await host.post("/api/v1/agent/respond", { accept: false });
    await host.agent(({ state }) => state === "idle");
    expect(existsSync(join(stage.workspace, "refused.txt"))).toBe(false);

    const usage = await host.get("/api/v1/session/usage");
    expect(usage.json.request_count).toBeGreaterThan(2);
    const events = await host.get("/api/v1/events/catchup?since_seq=0&since_hook_seq=0");
    expect(events.json.hook_events[0].hook_seq).toBe(1);
    const began = performance.now();
    const { code } = await host.stop();
    expect([0, 129]).toContain(code);
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});
