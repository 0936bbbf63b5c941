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

function choice(env: NodeJS.ProcessEnv = {}) {
  return chooseAgent(loadRegistry(machine.env.COX_HOME), { ...machine.env, ...env });
}

test("the demo, where there is nothing else, said aloud", () => {
  expect(choice()).toEqual({ agent: "demo", notice: "using agent demo (choose another with --agent)" });
});

test("not one that is installed but has no login", () => {
  machine.program("claude");
  expect(choice().agent).toBe("demo");
});

test("the first in order that is installed and logged in; no program is started for it", () => {
  machine.acpAgent("codex");
  machine.acpAgent("gemini");
  machine.program("claude");
  machine.file(join(machine.home, ".codex/auth.json"), "{}");
  expect(choice({ GEMINI_API_KEY: "k" }).agent).toBe("codex");
  expect(machine.wasStarted("codex")).toBe(false);
  expect(choice({ GEMINI_API_KEY: "k", ANTHROPIC_API_KEY: "k" }).agent).toBe("claude");
});

test("one that can work in the folder before one that can only talk", () => {
  expect(choice({ XAI_API_KEY: "k" }).agent).toBe("xai");
  machine.program("mine");
  machine.agents({ id: "mine", name: "Mine", cmd: ["mine"] });
  expect(choice({ XAI_API_KEY: "k" }).agent).toBe("mine");
});

test("not one that is disabled or whose entry is wrong", () => {
  machine.program("claude");
  machine.program("codex");
  machine.agents({ id: "claude", enabled: false }, { id: "codex", protocol: "x" });
  expect(choice({ ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" }).agent).toBe("demo");
});
