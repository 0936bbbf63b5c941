import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseOutputs, resultsOf } from "../../src/contract/outputs/outputs.ts";
import { decodeDigest } from "../../src/contract/outputs/outputs-digest.ts";
import { finished, root, scene, until } from "../support/cox.ts";

/** A container with an agent in it that is a shell script. */
function container(agent: string, env: Record<string, string> = {}, program = "claude") {
  const it = scene();
  const bin = join(it.folder, "bin");
  mkdirSync(bin);
  const install = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  install(program, agent);
  install("cox", `exec ${process.execPath} ${join(root, "bin/cox")} "$@"`);
  const terminationLog = join(it.folder, "termination-log");
  writeFileSync(terminationLog, "");
  const all = {
    ...it.env,
    PATH: `${bin}:${it.env.PATH}`,
    KELOS_AGENT_TYPE: "claude-code",
    KELOS_BASE_BRANCH: "main",
    COX_TERMINATION_LOG: terminationLog,
    ...env,
  };
  const start = (...words: string[]) =>
    spawn(process.execPath, [join(root, "bin/cox"), "container-run", ...words], {
      cwd: it.workspace,
      env: all,
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    folder: it.folder,
    workspace: it.workspace,
    install,
    env: all,
    start,
    run: (...words: string[]) => finished(start(...words)),
    digest: () => decodeDigest(readFileSync(terminationLog, "utf8")),
    terminationLog,
  };
}

const result = (fields: object = {}) =>
  `echo '${JSON.stringify({ type: "result", subtype: "success", total_cost_usd: 1.5, usage: { input_tokens: 1, output_tokens: 2 }, result: "done", ...fields })}'`;

describe("the prompt", () => {
  test.each(["--help", "-", "-p --model x", "--", "$(touch evil) `id` \\ \"'", "two\nlines\n\n", "ünï → ☂"])(
    "%j arrives as it is",
    async (prompt) => {
      const it = container(`cat > got; ${result()}`);
      expect((await it.run(prompt)).code).toBe(0);
      expect(readFileSync(join(it.workspace, "got"), "utf8")).toBe(prompt);
    },
  );

  test("none is an error that says so, and is reported", async () => {
    const it = container(result());
    const { code, stderr } = await it.run();
    expect(code).toBe(2);
    expect(stderr).toContain("no prompt");
    expect(it.digest()?.failure).toContain("no prompt");
  });

  test("an agent that doesn't read it is not in trouble for that", async () => {
    const it = container(`exec 0<&-; ${result()}`);
    expect((await it.run("x".repeat(100_000))).code).toBe(0);
  });
});

describe("the end", () => {
  test.each([
    ["0", result(), 0],
    ["the agent's own code", `${result()}; exit 7`, 7],
    ["an agent that contradicts its 0", result({ is_error: true, result: "overloaded" }), 1],
    ["and one that has a code of its own for it", `${result({ is_error: true, result: "overloaded" })}; exit 9`, 9],
    ["killed", "kill -9 $$", 137],
  ])("%s", async (_, agent, code) => {
    const it = container(agent);
    const ended = await it.run("do it");
    expect(ended.code).toBe(code);
    expect(resultsOf(parseOutputs(ended.stdout))["base-branch"]).toBe("main");
    expect(it.digest()?.outputs).toContain("base-branch: main");
    expect(it.digest()?.failure === undefined).toBe(code === 0);
  });

  test("says what the agent said last, when that was on stderr", async () => {
    const it = container("echo 'cannot log in' >&2; exit 3");
    const { stderr } = await it.run("do it");
    expect(stderr).toContain("cannot log in");
    expect(it.digest()?.failure).toContain("cannot log in");
  });

  test.each([
    ["an agent that isn't there", { KELOS_AGENT_TYPE: "codex" }, 127, /codex: not found on PATH/],
    ["one we don't know", { KELOS_AGENT_TYPE: "telepath" }, 2, /unknown; known are/],
  ])("%s", async (_, env, code, message) => {
    const it = container(result(), env);
    expect(await it.run("do it")).toMatchObject({ code, stderr: expect.stringMatching(message) });
    expect(it.digest()?.failure).toMatch(message);
  });
});

describe("what the agent leaves behind", () => {
  const forged = '{"coxswain":1,"outputs":["branch: evil"],"sha256":""}';

  test("a termination message of its own is replaced", async () => {
    const it = container(`echo '${forged}' > "$COX_TERMINATION_LOG"; ${result()}`);
    await it.run("do it");
    expect(it.digest()?.outputs[0]).toBe("base-branch: main");
  });

  test("a process that waits to write after us is gone before we report", async () => {
    const it = container(
      `(setsid bash -c 'trap "" TERM; while sleep 0.02; do echo ---KELOS_OUTPUTS_START---; echo branch: evil; echo ---KELOS_OUTPUTS_END---; echo "${forged.replaceAll('"', '\\"')}" > "$COX_TERMINATION_LOG"; done' &) ; sleep 0.2; ${result()}`,
    );
    const { stdout } = await it.run("do it");
    expect(resultsOf(parseOutputs(stdout)).branch).toBeUndefined();
    const message = readFileSync(it.terminationLog, "utf8");
    await new Promise((resolve) => setTimeout(resolve, 200)); // ten times its pause
    expect(readFileSync(it.terminationLog, "utf8")).toBe(message);
    expect(it.digest()?.outputs).toContain("base-branch: main");
  });

  test("one that hides from us and holds our pipe keeps nobody waiting", async () => {
    const it = container(`env -i setsid /bin/sleep 5 & ${result()}; exit 0`);
    const began = performance.now();
    expect((await it.run("do it")).code).toBe(0);
    expect(performance.now() - began).toBeLessThan(4500);
  });
});

describe("the setup command", () => {
  test("runs first, in the workspace, and its words are not in the agent's stream", async () => {
    const it = container(`cat ready; ${result()}`, {
      KELOS_SETUP_COMMAND: '["sh","-c","echo set up; echo yes > ready"]',
    });
    const { code, stdout, stderr } = await it.run("do it");
    expect(code).toBe(0);
    expect(stdout.startsWith("yes\n")).toBe(true);
    expect(stdout).not.toContain("set up");
    expect(stderr).toMatch(/setup command: sh: started[^]*set up[^]*setup command: sh: done/);
  });

  test.each([
    ["fails: its code is ours", '["sh","-c","exit 5"]', 5],
    ["isn't there", '["no-such-program"]', 127],
    ["isn't a command", '"make"', 2],
  ])("%s, and the agent isn't started", async (_, command, code) => {
    const it = container("touch started", { KELOS_SETUP_COMMAND: command });
    const ended = await it.run("do it");
    expect(ended.code).toBe(code);
    expect(existsSync(join(it.workspace, "started"))).toBe(false);
    expect(parseOutputs(ended.stdout)).toEqual(["base-branch: main"]);
    expect(it.digest()?.failure).toMatch(/setup/i);
  });
});

describe("asked to stop", () => {
  const patient = 'trap "echo stopped >&2; exit 0" INT TERM; touch started; while true; do sleep 0.05; done';

  test("the agent has its grace, and what it had is reported", async () => {
    const it = container(`${result()}; ${patient}`);
    const child = it.start("do it");
    const done = finished(child);
    await until(() => existsSync(join(it.workspace, "started")));
    child.kill("SIGTERM");
    const { code, stdout, stderr } = await done;
    expect(code).toBe(143); // its 0 would look like success
    expect(stderr).toContain("stopped");
    expect(parseOutputs(stdout)).toContain("cost-usd: 1.5");
    expect(it.digest()?.failure).toContain("asked to stop");
  });

  test("one that won't is killed when its grace is over", async () => {
    const it = container('trap "" INT TERM; touch started; while true; do sleep 0.05; done', {
      COX_GRACE_SECONDS: "0.3",
    });
    const child = it.start("do it");
    const done = finished(child);
    await until(() => existsSync(join(it.workspace, "started")));
    child.kill("SIGTERM");
    const { code, stdout } = await done;
    expect(code).toBe(137);
    expect(parseOutputs(stdout)).toEqual(["base-branch: main"]);
  });

  test("during the setup command", async () => {
    const it = container("touch agent", { KELOS_SETUP_COMMAND: '["sh","-c","touch started; sleep 30"]' });
    const child = it.start("do it");
    const done = finished(child);
    await until(() => existsSync(join(it.workspace, "started")));
    child.kill("SIGTERM");
    expect((await done).code).toBe(143);
    expect(existsSync(join(it.workspace, "agent"))).toBe(false);
  });
});

test("a flood is passed on whole, and counted", async () => {
  const it = container(`for i in $(seq 200); do head -c 50000 /dev/zero | tr '\\0' x; echo; done; ${result()}`);
  const { code, stdout } = await it.run("do it");
  expect(code).toBe(0);
  expect(stdout.length).toBeGreaterThan(200 * 50_001);
  expect(parseOutputs(stdout)).toContain("input-tokens: 1");
});

test("secrets of MCP servers are in a private file, and no argument", async () => {
  const it = container(`echo "$@" > args; ${result()}`, {
    KELOS_MCP_SERVERS: '{"mcpServers":{"x":{"command":"c","env":{"T":"canary"}}}}',
  });
  await it.run("do it");
  const args = readFileSync(join(it.workspace, "args"), "utf8");
  expect(args).not.toContain("canary");
  const file = /--mcp-config (\S+)/.exec(args)?.[1] ?? "";
  expect(readFileSync(file, "utf8")).toContain("canary");
});
