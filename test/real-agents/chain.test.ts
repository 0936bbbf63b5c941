import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import builtin from "../../src/core/agents/registry/agents.json" with { type: "json" };
import { finished, root, Scene } from "../support/cox.ts";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import { gemini } from "./agents/gemini.ts";
import { startModelServer } from "./model-server.ts";
import { Stage } from "./stage.ts";

/** claude starts codex, which starts gemini: each a run of its own, child of the one before. */
test("a chain of three real agents, parent and children", { timeout: 180_000 }, async ({ onTestFinished }) => {
  const stage = new Stage("chain", onTestFinished);
  const chain = [claude, codex, gemini];
  for (const agent of chain) {
    Object.assign(stage.env, agent.env);
    agent.prepare?.(stage);
    const server = await startModelServer(agent.api);
    onTestFinished(() => void server.stop());
    const profile = {
      agent: agent.name,
      model: agent.models[0],
      base_url: server.url + (agent.path ?? ""),
      token: "good-key",
    };
    const lines = Object.entries(profile).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
    mkdirSync(join(stage.coxHome, "profiles"), { recursive: true });
    writeFileSync(join(stage.coxHome, "profiles", `${agent.name}.yaml`), lines.join(""), { mode: 0o600 });
  }
  // In codex's own sandbox there is no network and no state folder: an agent that starts others works outside it.
  const { protocol_config } = builtin.agents.find(({ id }) => id === "codex") ?? {};
  const open = { id: "codex", protocol_config: { ...protocol_config, sandbox: "danger-full-access" } };
  writeFileSync(join(stage.coxHome, "agents.json"), JSON.stringify([open]));

  const start = (profile: string, file: string) =>
    `cox run --profile ${profile} --permissions allow --prompt-file ${file}`;
  const write = (file: string, text: string) => writeFileSync(join(stage.workspace, file), text);
  write("first.md", `@bash ${start("codex", "second.md")} > second.out 2>&1; cat second.out`);
  write("second.md", `@bash ${start("gemini", "third.md")} > third.out 2>&1; cat third.out`);
  write("third.md", "hello from the end of the chain");

  const args = [
    join(root, "bin/cox"),
    "run",
    "--profile",
    "claude",
    "--permissions",
    "allow",
    "--prompt-file",
    "first.md",
  ];
  const child = spawn(process.execPath, args, { cwd: stage.workspace, env: { ...stage.env, COX_HOME: stage.coxHome } });
  child.stdin.end();
  const result = await finished(child);
  expect(result.code, result.stdout + result.stderr).toBe(0);

  const made = Object.assign(Object.create(Scene.prototype) as Scene, { home: stage.coxHome });
  const runs = made.runs().map(({ info }) => info);
  expect(runs.map((info) => [info?.agent, info?.status])).toEqual([
    ["claude", "completed"],
    ["codex", "completed"],
    ["gemini", "completed"],
  ]);
  expect(runs.map((info) => info?.parent_run_id)).toEqual(["", runs[0]?.run_id, runs[1]?.run_id]);
  expect(readFileSync(join(stage.workspace, "third.out"), "utf8")).toContain("hello from the end of the chain");
});
