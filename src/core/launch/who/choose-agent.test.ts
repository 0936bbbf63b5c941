import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestMachine } from "../../../faces/cli/testing/test-agent.ts";
import { loadRegistry } from "../../agents/registry/registry.ts";
import { chooseAgent } from "./choose-agent.ts";

let machine: TestMachine;
beforeEach(() => {
  machine = new TestMachine();
});
afterEach(() => machine.remove());

async function choice(env: NodeJS.ProcessEnv = {}) {
  return chooseAgent(await loadRegistry(machine.cox), machine.cox, { ...machine.env, ...env });
}

test("the demo, where there is nothing else, said aloud", async () => {
  expect(await choice()).toEqual({
    agent: "demo",
    notice: "using agent demo, since no other is ready: `cox agent ls` says what they need",
  });
});

test("not one that is installed but has no login", async () => {
  machine.program("claude");
  expect((await choice()).agent).toBe("demo");
});

test("the first in order that is installed and logged in; no program is started for it", async () => {
  machine.acpAgent("codex");
  machine.acpAgent("gemini");
  machine.program("claude");
  machine.file(join(machine.home, ".codex/auth.json"), "{}");
  expect((await choice({ GEMINI_API_KEY: "k" })).agent).toBe("codex");
  expect(machine.wasStarted("codex")).toBe(false);
  expect((await choice({ GEMINI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).agent).toBe("claude");
});

test("one that can work in the folder before one that can only talk", async () => {
  expect((await choice({ XAI_API_KEY: "k" })).agent).toBe("xai");
  machine.program("mine");
  machine.agents({ id: "mine", name: "Mine", cmd: ["mine"] });
  expect((await choice({ XAI_API_KEY: "k" })).agent).toBe("mine");
});

test("not one that is disabled or whose entry is wrong", async () => {
  machine.program("claude");
  machine.program("codex");
  machine.agents({ id: "claude", enabled: false }, { id: "codex", protocol: "x" });
  expect((await choice({ ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" })).agent).toBe("demo");
});

test("one that a profile has the key for, with that profile", async () => {
  machine.program("claude");
  machine.program("codex");
  machine.profile("keyless", "agent: claude\n");
  machine.profile("work", "agent: claude\ntoken: env:MY_KEY\n");
  expect(await choice()).toEqual({
    agent: "claude",
    profile: "work",
    notice: "using profile work, for claude (choose another with --profile or --agent)",
  });
  // What is logged in by itself comes first.
  expect(await choice({ OPENAI_API_KEY: "k" })).toEqual({
    agent: "codex",
    notice: "using agent codex, which is installed and logged in (choose another with --agent)",
  });
});
