import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentView } from "../../src/terminal/supervisor/host/terminal-api.ts";
import { until } from "../support/cox.ts";
import { type Supervised, type SupervisedScene, supervisedScene } from "../support/supervised.ts";
import { programs } from "./install.ts";
import { startModelServer } from "./model-server.ts";

let model: Awaited<ReturnType<typeof startModelServer>>;
beforeAll(async () => {
  model = await startModelServer("anthropic");
});
afterAll(() => model.stop());

const environment = (made: SupervisedScene): NodeJS.ProcessEnv => ({
  PATH: `${programs}:${made.env.PATH}`,
  IS_SANDBOX: "1", // as root it refuses to work without asking anywhere else
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  ANTHROPIC_BASE_URL: model.url,
  ANTHROPIC_API_KEY: "good-key-good-key-good-key",
});

function terminal(made: SupervisedScene) {
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${made.port}/api/v1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${made.token()}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answer;
  };
  const agent = async (): Promise<AgentView | undefined> => {
    try {
      const answer = await ask("/agent");
      return answer.ok ? ((await answer.json()) as AgentView) : undefined;
    } catch {
      return undefined; // between two lives
    }
  };
  return {
    ask,
    is: (state: string) => until(async () => ((await agent())?.state === state ? agent() : false)),
    shows: (pattern: RegExp) => until(async () => pattern.test(await (await ask("/screen/text")).text())),
  };
}

const pressed = async (made: SupervisedScene) =>
  /dialogs_answered_total\{[^}]*\} (\d+)/.exec(
    await (await fetch(`http://127.0.0.1:${made.statusPort}/metrics`)).text(),
  )?.[1];

const endsWell = async (run: Supervised) => {
  const sent = performance.now();
  run.child.kill("SIGTERM");
  const { code, stderr } = await run.done;
  expect(code, stderr).toBe(0);
  return performance.now() - sent;
};

test("Claude Code: idle without a key, the nudge, a permission, restarts that go on, a clean end", async () => {
  const made = supervisedScene();
  mkdirSync(join(made.workspace, ".claude"));
  writeFileSync(join(made.workspace, ".claude/settings.json"), '{"permissions":{"ask":["Bash(touch *)"]}}');
  const { ask, is, shows } = terminal(made);
  const env = environment(made);
  const command = "--command=claude --permission-mode manual";

  const first = await made.supervise([command, "--nudge=the magic word is pelican"], env);
  await first.said("gave the first prompt");
  await is("idle");
  await shows(/You said:[^]*the magic word is pelican/);
  expect(await pressed(made)).toBeUndefined(); // everything that it asks at a first start was answered beforehand

  await ask("/agent/nudge", { message: "@bash touch asked.txt" });
  const prompt = await is("prompt");
  expect(prompt).toMatchObject({ prompt: { type: "permission" } });
  expect(await (await ask("/agent/respond", { accept: true })).json()).toMatchObject({ delivered: true });
  await until(() => existsSync(join(made.workspace, "asked.txt")));
  await is("idle");

  // The agent is killed: the supervisor starts it again, in the same conversation.
  const { pid } = (await (await ask("/status")).json()) as { pid: number };
  process.kill(pid, "SIGKILL");
  await first.said(/^agent ended \d+ after \d+s \(restart 1\/10\)$/);
  await until(async () => (await first.status()).lives === 2);
  expect((await first.status()).resumed).toMatch(/\.jsonl$/);
  await is("idle");

  // The supervisor is killed: the next one ends what it left, and goes on with the same conversation.
  const log = (await first.status()).resumed;
  await first.killed();
  const second = await made.supervise([command, "--nudge=@recall"], env);
  await second.said("gave the first prompt");
  await shows(/So far you said:[^]*pelican/);
  expect((await second.status()).resumed).toBe(log);
  // Claude Code shows a turn before it has written it down.
  await until(() => readFileSync(log ?? "", "utf8").includes("@recall"));

  const ms = await endsWell(second);
  expect(ms).toBeLessThan(25_000);
  console.log(`ended ${Math.round(ms)} ms after SIGTERM`);
});

test("Claude Code in bypass mode, the pod's default: idle without a key", async () => {
  const made = supervisedScene();
  const run = await made.supervise(["--nudge=hello"], environment(made));
  await run.said("gave the first prompt");
  await terminal(made).is("idle");
  expect(await pressed(made)).toBeUndefined();
  await endsWell(run);
});

test("Claude Code with nothing answered beforehand: its dialogs are answered by their words", async () => {
  const made = supervisedScene();
  // A home that knows neither this folder nor this key; only the check of the network is behind it.
  const other = join(made.scene.folder, "other");
  mkdirSync(other);
  writeFileSync(join(other, ".claude.json"), '{"hasCompletedOnboarding":true}');
  made.program("claude", `#!/bin/sh\nHOME=${other} exec ${join(programs, "claude")} "$@"\n`);
  const env = environment(made);
  const run = await made.supervise(["--nudge=hello"], { ...env, PATH: made.env.PATH });
  await run.said("gave the first prompt");
  await terminal(made).is("idle");
  const answered = run.lines().filter(({ message }) => message === "answered a dialog");
  expect(new Set(answered.map(({ dialog }) => dialog))).toEqual(new Set(["trust", "API key", "bypass permissions"]));
  await endsWell(run);
});
