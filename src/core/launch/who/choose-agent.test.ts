import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestMachine } from "../../../faces/cli/testing/test-agent.ts";
import { testContext } from "../../../faces/cli/testing/test-context.ts";
import { chooseAgent } from "./choose-agent.ts";

let machine: TestMachine;
beforeEach(() => {
  machine = new TestMachine();
});
afterEach(() => machine.remove());

async function choice(env: NodeJS.ProcessEnv = {}) {
  const context = testContext({ env: { ...machine.env, ...env } });
  return { agent: await chooseAgent(context), said: context.err() };
}

test("the demo, where there is nothing else, said aloud", async () => {
  expect(await choice()).toEqual({ agent: "demo", said: "using agent demo (choose another with --agent)\n" });
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
