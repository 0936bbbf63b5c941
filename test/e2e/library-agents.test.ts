import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { OnRequest, RegisteredAgent, RunContext, StartOptions } from "../../src/index.ts";
import { finished, root, type Scene, scene, until } from "../support/cox.ts";
import { startServer } from "../support/server.ts";

const { coxswain, createAgent }: typeof import("../../src/index.ts") = createRequire(import.meta.url)(
  join(root, "dist/index.cjs"),
);

/** A program with an agent of its own. */
function program(execute: RegisteredAgent["execute"], made: Scene = scene()) {
  const cox = coxswain({ env: made.env, agents: { mine: { execute } } });
  onTestFinished(async () => {
    for (const { run_id } of await cox.list({ status: "running" })) await cox.run(run_id).stop();
  });
  const start = (more: Partial<StartOptions> & { onRequest?: OnRequest } = {}) =>
    cox.start({ agent: "mine", prompt: "Do it", workspace: made.workspace, ...more });
  return { made, cox, start };
}

describe("an agent of one's own", () => {
  test("is run like any other: recorded, listed, with a task and variables, and it is told the prompt alone", async () => {
    const contexts: RunContext[] = [];
    const { made, cox, start } = program(async (context, _, turn) => {
      contexts.push(context);
      turn.say("one ");
      turn.say("two");
    });
    const run = await start({ project: "p", task: "t", env: { COLOUR: "blue" }, model: "big" });
    expect(await run.turn()).toMatchObject({ outcome: "completed", finalResponse: "one two" });
    const info = await run.wait();
    expect(info).toMatchObject({ state: "completed", agent: "mine", project: "p", task: "t", on: "local" });
    expect(info).toMatchObject({ host_pid: process.pid, model: "big" });
    const [context] = contexts;
    expect(context).toMatchObject({ runId: run.id, projectId: "p", taskId: "t", prompt: "Do it" });
    expect(context).toMatchObject({ workingDir: made.workspace, stdoutPath: info.stdout_path });
    expect(context?.environment).toMatchObject({ COLOUR: "blue", MODEL: "big", JRUN_ID: run.id, COX_RUN_ID: run.id });
    expect((await made.cox(["ls", "--json"])).stdout).toContain(run.id);
    expect((await made.cox(["output", run.id])).stdout).toContain("one two");
    expect((await made.cox(["task", "ls"])).stdout).toMatch(/t\b.*done/);
    expect(await cox.list({ agent: "mine" })).toHaveLength(1);
  });

  test("what it wrote to its stdout is what it said, and what it throws is how it failed", async () => {
    const { start } = program(async ({ prompt, stdoutPath }) => {
      if (prompt === "fail") throw new Error("no luck today");
      appendFileSync(stdoutPath, "written, not said\n");
    });
    expect(await (await start()).turn()).toMatchObject({ finalResponse: "written, not said" });
    const failed = await start({ prompt: "fail" });
    await expect(failed.turn()).rejects.toMatchObject({ code: "agent.failed", message: "no luck today" });
    expect(await failed.wait()).toMatchObject({ state: "failed", error_summary: "no luck today" });
  });

  test("one that createAgent made can be registered as it is", async () => {
    const made = scene();
    const demo = createAgent({ type: "demo", home: made.home });
    const { start } = program((context, signal) => demo.execute({ ...context, prompt: "@say hello" }, signal), made);
    expect(await (await start()).wait()).toMatchObject({ state: "completed" });
  });

  test("what it asks is answered by callback, from a terminal, by rule or policy", async () => {
    const { made, start } = program(async (_, __, turn) => {
      const may = await turn.permission({ title: "clear up", kind: "execute", command: "rm -r build" });
      const colour = await turn.ask("Which?", ["red", "blue"]);
      turn.say(`${may} ${colour}`);
    });
    const asked: string[] = [];
    const here = await start({
      onRequest(request) {
        asked.push(request.type === "permission_request" ? request.permissionTitle : request.type);
        return request.type === "permission_request" ? "allow" : "blue";
      },
    });
    expect((await here.turn()).finalResponse).toBe("true blue");
    expect(asked).toEqual(["clear up", "question_request"]);

    const there = await start();
    await until(async () => (await there.requests()).length > 0);
    expect((await made.cox(["inbox"])).stdout).toContain("clear up");
    expect(await made.cox(["answer", `${there.id}.p0`, "deny"])).toMatchObject({ code: 0 });
    await until(async () => (await there.requests()).some(({ type }) => type === "question_request"));
    expect(await made.cox(["answer", `${there.id}.p1`, "red"])).toMatchObject({ code: 0 });
    expect((await there.turn()).finalResponse).toBe("false red");

    const nobody = await start({
      permissions: "deny",
      onRequest: (r) => (r.type === "question_request" ? "red" : "allow"),
    });
    expect((await nobody.turn()).finalResponse).toBe("false red");
  });

  test("is interrupted, stopped, and goes on: told what was said before", async () => {
    const prompts: string[] = [];
    const { made, start } = program(async ({ prompt }, signal, turn) => {
      prompts.push(prompt);
      turn.say("working");
      if (!prompt.endsWith("wait")) return;
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    const run = await start({ mode: "interactive" });
    await run.turn();
    const long = run.turn("wait");
    await until(() => prompts.includes("wait"));
    expect(await made.cox(["interrupt", run.id])).toMatchObject({ code: 0 });
    expect(await long).toMatchObject({ outcome: "interrupted" });
    expect(await run.turn("again")).toMatchObject({ outcome: "completed" });
    await run.prompt("wait");
    await until(() => prompts.filter((prompt) => prompt === "wait").length === 2);
    expect(await run.stop()).toMatchObject({ reason: "stopped" });
    const next = await run.prompt("and now?");
    await next.turn();
    expect(prompts.at(-1)).toMatch(/again.*and now\?$/s);
    expect(await next.info()).toMatchObject({ resumes: run.id, host_pid: process.pid });
    const branch = await next.fork("another way");
    await branch.turn();
    expect(await branch.info()).toMatchObject({ forked_from: next.id, agent: "mine" });
    await branch.stop();
    await next.stop();
  });

  test("obeys its limits, even when it doesn't listen", async () => {
    const { start } = program(async (_, __, turn) => {
      turn.usage({ input: 700, output: 600 });
      await new Promise(() => {});
    });
    expect(await (await start({ maxTokens: 1000 })).wait()).toMatchObject({ state: "failed", input_tokens: 700 });
    expect(await (await start({ timeoutMs: 300 })).wait()).toMatchObject({ state: "failed", reason: "timeout" });
  });

  test("works in a worktree, with checkpoints", async () => {
    const { made, start } = program(async ({ workingDir }) => writeFileSync(join(workingDir, "made.txt"), "new\n"));
    for (const words of [
      ["init", "-q"],
      ["commit", "-q", "--allow-empty", "-m", "first"],
    ]) {
      const git = spawn("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: made.workspace });
      expect(await finished(git)).toMatchObject({ code: 0 });
    }
    const run = await start({ worktree: true });
    const info = await run.wait();
    expect(info).toMatchObject({ state: "completed", diff_stat: expect.stringContaining("1") });
    expect(existsSync(join(info.cwd, "made.txt"))).toBe(true);
    expect(info.cwd).not.toBe(made.workspace);
    expect((await made.cox(["diff", run.id])).stdout).toContain("made.txt");
  });

  test("what would need a process of it is refused, and so is a name that is taken, or a server", async () => {
    const { made, cox, start } = program(async () => {});
    await expect(start({ on: "sandbox" })).rejects.toMatchObject({ code: "usage.invalid" });
    await expect(start({ network: "off" })).rejects.toMatchObject({ code: "usage.invalid" });
    const transport = { type: "stdio" as const, command: "x", args: [], env: {} };
    await expect(start({ mcpServers: [{ name: "x", transport }] })).rejects.toThrow("mcpServers: agent mine is code");
    expect(await cox.list()).toEqual([]);
    const agents = (name: string) => coxswain({ env: made.env, agents: { [name]: { async execute() {} } } });
    await expect(agents("claude").list()).rejects.toThrow("agent claude: there is one of this name already");
    await expect(agents("My Agent").list()).rejects.toMatchObject({ code: "usage.invalid" });
    const server = { url: "http://127.0.0.1:1", token: "t", agents: {} };
    expect(() => coxswain(server)).toThrow("agents: a server can't run code of this program");
  });

  test("all others still have hosts of their own", async () => {
    const { start } = program(async () => {});
    const info = await (await start({ agent: "demo", prompt: "@say hello" })).wait();
    expect(info).toMatchObject({ state: "completed", agent: "demo" });
    expect(info.host_pid).not.toBe(process.pid);
  });

  test("is answered from the page's server", async () => {
    const { made, start } = program(async (_, __, turn) => turn.say(String(await turn.permission({ title: "go on" }))));
    const server = await startServer(made);
    onTestFinished(async () => void (await server.stop()));
    const run = await start();
    const page = coxswain({ url: server.url, token: server.token }).run(run.id);
    const [request] = await until(async () => {
      const open = await page.requests();
      return open.length > 0 && open;
    });
    if (request !== undefined) await page.answer(request, "allow");
    expect((await page.turn()).finalResponse).toBe("true");
  });
});

test("a program that is killed takes its own agent's run along, and whoever looks next says so", async () => {
  const made = scene();
  const code = `
    const { coxswain } = require(${JSON.stringify(join(root, "dist/index.cjs"))});
    const agents = { mine: { execute: () => new Promise(() => {}) } };
    coxswain({ agents }).start({ agent: "mine", prompt: "x", workspace: process.cwd() }).then((run) => console.log(run.id));
  `;
  const child = spawn(process.execPath, ["-e", code], { cwd: made.workspace, env: made.env });
  const ended = finished(child);
  await until(
    () => existsSync(join(made.home, "projects")) && made.runs()[0]?.events.some(({ type }) => type === "turn_started"),
  );
  expect((await made.cox(["ls"])).stdout).toContain("running");
  child.kill("SIGKILL");
  expect(await ended).toMatchObject({ signal: "SIGKILL" });
  expect((await made.cox(["ls"])).stdout).toContain("host_lost");
  expect(made.runs()[0]?.info).toMatchObject({ status: "failed", reason: "host_lost", agent: "mine" });
});

test("a program ends when its agent's run has", async () => {
  const made = scene();
  const code = `
    const { coxswain } = require(${JSON.stringify(join(root, "dist/index.cjs"))});
    const agents = { mine: { async execute(_, __, turn) { turn.say("done"); } } };
    coxswain({ agents }).start({ agent: "mine", prompt: "x", workspace: process.cwd() });
  `;
  const child = spawn(process.execPath, ["-e", code], { cwd: made.workspace, env: made.env });
  expect(await finished(child)).toMatchObject({ code: 0, stderr: "" });
  expect(made.runs()[0]?.info).toMatchObject({ status: "completed" });
});

test("an agent of createAgent prints nothing on the program's own terminal", async () => {
  const made = scene();
  const code = `
    const { createAgent } = require(${JSON.stringify(join(root, "dist/index.cjs"))});
    const [workingDir, runId] = [process.cwd(), "r"];
    const paths = { stdoutPath: workingDir + "/out", stderrPath: workingDir + "/err" };
    const context = { runId, projectId: "p", taskId: "t", prompt: "@stderr aside\\n@say hello", workingDir, ...paths };
    createAgent({ type: "demo" }).execute({ ...context, environment: {} });
  `;
  const child = spawn(process.execPath, ["-e", code], { cwd: made.workspace, env: made.env });
  expect(await finished(child)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  const written = (name: string) => readFileSync(join(made.workspace, name), "utf8");
  expect([written("out"), written("err")]).toEqual([expect.stringContaining("hello"), "aside\n"]);
});
