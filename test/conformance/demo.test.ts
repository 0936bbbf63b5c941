import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { planLaunch } from "../../src/agents/launch.ts";
import { loadRegistry } from "../../src/agents/registry.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openHome } from "../../src/store/home.ts";
import { root, type Scene, scene } from "../support/cox.ts";
import { behaviours } from "./behaviours.ts";
import type { Subject, Wishes } from "./subject.ts";

function demo(made: Scene): Subject {
  return {
    name: "demo",
    models: ["demo-fast", "demo-smart"],
    say: {
      hello: "@usage 10 5\n@context 100 1000\n@say hello",
      think: "@think deeply",
      shell: (file) => `@run touch ${file}`,
      edit: (file) => `@edit ${file} hello`,
      slow: "@slow 600 100",
      two: "@permissions 2",
      question: "@question which colour? | red | blue",
      remember: (word) => `the magic word is ${word}\n@say noted`,
      recall: "@memory",
      model: "@model",
      mcp: '@mcp fake ping {"who":"bob"}',
    },
    spec: (wishes = {}) => specOf(made, wishes),
    gaps: {},
  };
}

function specOf(made: Scene, wishes: Wishes) {
  const permissions = wishes.permissions ?? "ask";
  const plan = planLaunch({
    definition: loadRegistry().get("demo"),
    workspace: made.workspace,
    model: wishes.model,
    permissions,
    own: { node: process.execPath, package: root },
  });
  const env = { PATH: process.env.PATH ?? "", DEMO_SPEED: "0", DEMO_HOME: join(made.folder, "demo") };
  mkdirSync(env.DEMO_HOME, { recursive: true });
  const mcp = { command: process.execPath, args: [join(root, "test/fakes/mcp-stdio.mjs")], env: {} };
  return {
    home: openHome(made.home),
    project: "p",
    task: "t",
    plan: wishes.program === undefined ? plan : { ...plan, argv: [wishes.program] },
    profile: "",
    prompt: [],
    mode: "interactive" as const,
    policy: { default: permissions },
    limits: { timeoutMs: 60_000 },
    callerEnv: env,
    env,
    cleanEnv: false,
    preamble: false,
    mcpServers: wishes.mcp ? [{ name: "fake", transport: { type: "stdio" as const, ...mcp } }] : [],
    resume: wishes.resume === undefined ? undefined : { sessionId: wishes.resume },
    bin: join(root, "bin"),
    clock: systemClock,
  };
}

describe("demo agent", () => {
  test.concurrent.for(Object.entries(behaviours))("%s", async ([, behave], { onTestFinished }) => {
    await behave(demo(scene(onTestFinished)));
  });
});
