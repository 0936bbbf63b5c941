import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { processesWithEnv } from "../../src/lib/process/holders/identity.ts";
import { finished, root, type Scene, scene, until } from "../support/cox.ts";
import { gitFolder, gitHome } from "../support/git-repository.ts";

const shell = (made: Scene, script: string, input = "") => {
  const env = { ...made.env, PATH: `${root}/bin:${made.env.PATH}` };
  const child = spawn("/bin/sh", ["-c", script], { cwd: made.workspace, env });
  child.stdin.end(input);
  return finished(child);
};

const promptOf = (made: Scene) => {
  const said = made.runs()[0]?.events.find((event) => event.type === "user_message");
  return said?.type === "user_message" && said.content[0]?.type === "text" ? said.content[0].text : undefined;
};

const demo = ["run", "--agent", "demo", "--permissions", "allow"];

describe("cox run", () => {
  test("completes, records and answers 0", async () => {
    const made = scene();
    const { code, stdout } = await made.cox([...demo, "--", "@say hello"]);
    expect(code).toBe(0);
    expect(stdout).toContain("hello");
    const [run] = made.runs();
    expect(run?.info).toMatchObject({ status: "completed", exit_code: 0, reason: "", turns: 1, agent: "demo" });
    expect(readFileSync(join(run?.dir ?? "", "output.md"), "utf8")).toBe("hello\n");
    expect(readFileSync(join(run?.dir ?? "", "prompt.md"), "utf8")).toContain("@say hello");
  });

  test("runs that are started in the same second have a task each", async () => {
    const made = scene();
    const prompt = [...demo, "-d", "--quiet", "--", "@say hello"];
    const started = await Promise.all([made.cox(prompt), made.cox(prompt), made.cox(prompt)]);
    expect(started.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(new Set(made.runs().map(({ info }) => info?.task_id)).size).toBe(3);
    await made.cox(["wait", ...started.map(({ stdout }) => stdout.trim())]);
  });

  test("in a worktree it ends in review, unless it changed nothing; a task's own run needs no prompt", async () => {
    const made = scene();
    made.env.HOME = gitHome();
    gitFolder(made.workspace).git("init", "-q");
    gitFolder(made.workspace).commit("first", { "a.txt": "a\n" });
    const create = ["task", "create", "--agent", "demo", "--worktree", "--permissions", "allow", "--task"];
    await made.cox([...create, "edits", "--", "@edit b.txt new"]);
    await made.cox([...create, "talks", "--", "@say nothing to do"]);
    for (const task of ["edits", "talks"]) expect((await made.cox(["run", "--task", task, "-q"])).code).toBe(0);
    const { stdout } = await made.cox(["task", "ls"]);
    expect(stdout).toMatch(/edits +review/);
    expect(stdout).toMatch(/talks +done/);
    expect(existsSync(join(made.workspace, "b.txt"))).toBe(false);
    expect((await made.cox(["merge", "edits", "--message", "Edit"])).code).toBe(0);
    expect(existsSync(join(made.workspace, "b.txt"))).toBe(true);
    expect((await made.cox(["task", "ls"])).stdout).toMatch(/edits +done/);
  });

  test("a conflict that its agent was told of and left stays in review", async () => {
    const made = scene();
    made.env.HOME = gitHome();
    const repository = gitFolder(made.workspace);
    repository.git("init", "-q");
    repository.commit("first", { "a.txt": "a\n" });
    const run = ["run", "--agent", "demo", "--worktree", "--permissions", "allow", "--task", "edits", "-q", "--"];
    expect((await made.cox([...run, "@edit a.txt mine"])).code).toBe(0);
    repository.commit("yours", { "a.txt": "yours\n" });
    const { code, stdout } = await made.cox(["merge", "edits", "--message", "Mine", "--resolve"]);
    expect(code).toBe(1);
    const resolving = stdout.trim();
    // It does as the demo does: asks, and goes on whatever the answer is.
    while ((await made.cox(["wait", "--no-ask", resolving])).code === 3) {
      const { request, type } = JSON.parse((await made.cox(["inbox", "--json"])).stdout.split("\n")[0] ?? "");
      const answer = type === "permission_request" ? ["deny"] : ["--decline"];
      expect((await made.cox(["answer", request, ...answer])).code).toBe(0);
    }
    expect((await made.cox(["task", "ls"])).stdout).toMatch(/edits +review/);
  });

  test("one that is stopped leaves nothing to do", async () => {
    const made = scene();
    const { stdout } = await made.cox([...demo, "-d", "-q", "--", "@sleep 60000"]);
    await made.cox(["stop", stdout.trim()]);
    await made.cox(["wait", stdout.trim()]);
    expect((await made.cox(["task", "ls", "--state", "todo"])).stdout).toBe("");
    expect((await made.cox(["task", "ls"])).stdout).toMatch(/ failed /);
  });

  test("a prompt may begin with a dash, after --", async () => {
    const made = scene();
    const { code } = await made.cox([...demo, "--", "--settings=evil\n@say ok"]);
    expect(code).toBe(0);
    const [run] = made.runs();
    expect(run?.events.find((event) => event.type === "user_message")).toMatchObject({
      content: [{ text: "--settings=evil\n@say ok" }],
    });
    expect(run?.info?.commandline).not.toContain("settings");
  });

  test("a prompt of 10 MB works, from stdin", async () => {
    const made = scene();
    const input = `${"x".repeat(10 * 1024 * 1024)}\n@say ok`;
    const { code, stdout } = await made.cox([...demo, "--quiet", "--prompt-file", "-"], { input });
    expect(code).toBe(0);
    expect(stdout.trim()).toBe("ok");
  });

  test("--json prints every event as a line", async () => {
    const made = scene();
    const { stdout } = await made.cox([...demo, "--json", "--", "@say hello"]);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { seq: number; type: string });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["turn_started", "message_chunk", "complete"]),
    );
    expect(events).toEqual(made.runs()[0]?.events);
  });

  test("what is piped in is context for the prompt", async () => {
    const made = scene();
    const { stdout, code } = await shell(made, "printf 'one\\ntwo\\n' | cox run --agent demo -q '@say fine\n@memory'");
    expect({ stdout, code }).toMatchObject({ code: 0 });
    expect(promptOf(made)).toBe("@say fine\n@memory\n\nWhat was piped in with this:\n\none\ntwo\n");
  });

  test("a file, or what a program writes to a socket, is piped in, too", async () => {
    for (const [input, redirect] of [
      ["from a socket", ""],
      ["", "< notes.txt"],
    ]) {
      const made = scene();
      writeFileSync(join(made.workspace, "notes.txt"), "from a file");
      const { code } = await shell(made, `cox run --agent demo '@say fine' ${redirect}`, input);
      expect(code).toBe(0);
      expect(promptOf(made)).toContain(input || "from a file");
    }
  });

  test("a pipe in which nothing comes is said, and not waited for", async () => {
    const made = scene();
    const script = "mkfifo quiet; sleep 20 > quiet 2>&- & cox run --agent demo '@say fine' < quiet";
    const { code, stderr } = await shell(made, script);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("nothing came on stdin") });
    expect(promptOf(made)).toBe("@say fine");
  });

  test("- alone is the prompt from stdin", async () => {
    const made = scene();
    await shell(made, "echo '@say dash' | cox run --agent demo -");
    expect(promptOf(made)).toBe("@say dash\n");
  });

  test.each([
    ["cox run --agent demo ''", "prompt: there is none"],
    ["cox run --agent demo '  ' </dev/null", "prompt: there is none"],
    ["cox run --agent demo - </dev/null", "prompt: what came on stdin is empty"],
    ["cox run --agent demo -f /dev/null", "prompt: /dev/null is empty"],
    ["head -c 1100000 /dev/zero | cox run --agent demo 'look'", "prompt: more than 1 MB was piped in"],
  ])("%s is misuse", async (command, says) => {
    const made = scene();
    expect(await shell(made, command)).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
    expect(existsSync(join(made.home, "projects"))).toBe(false);
  });

  test("no prompt and no terminal is misuse", async () => {
    const { code, stderr } = await scene().cox(["run", "--agent", "demo"]);
    expect(code).toBe(2);
    expect(stderr).toContain("prompt: there is none; give it");
  });

  test("without a terminal an ask is denied, with a reason, and nobody waits", async () => {
    const made = scene();
    const { code } = await made.cox(["run", "--agent", "demo", "--", "@permission may I?"]);
    expect(code).toBe(0);
    const resolved = made.runs()[0]?.events.find((event) => event.type === "request_resolved");
    expect(resolved).toMatchObject({ outcome: "denied", by: "policy", reason: expect.stringContaining("no terminal") });
  });

  test.each([
    ["a crash", "@crash 3", 3, "exit_code"],
    ["a signal", "@kill", 137, "signal"],
    ["an error of the model", "@error server", 1, "turn_failed"],
  ])("%s gives its exit code and reason", async (_, prompt, code, reason) => {
    const made = scene();
    expect((await made.cox([...demo, "--", prompt])).code).toBe(code);
    expect(made.runs()[0]?.info).toMatchObject({ status: "failed", reason, exit_code: code });
  });

  test.each([
    ["in all", "--timeout", "@slow 1000 20", "timeout"],
    ["in silence", "--idle-timeout", "@hang", "idle_timeout"],
  ])("a limit on time %s ends it with 124", async (_, option, prompt, reason) => {
    const made = scene();
    const { code } = await made.cox([...demo, option, "700ms", "--", prompt]);
    expect(code).toBe(124);
    expect(made.runs()[0]?.info).toMatchObject({ status: "failed", reason });
  });

  test("noise, invalid UTF-8, NUL and a huge line don't end a conversation; the raw file is exact", async () => {
    const made = scene();
    const prompt = "@raw Warning: something\n@bytes ff00fe0a\n@huge 17000000\n@say still here";
    const { code, stdout } = await made.cox([...demo, "--quiet", "--", prompt]);
    expect(code).toBe(0);
    expect(stdout).toContain("still here");
    const [run] = made.runs();
    const unmapped = run?.events.filter((event) => event.type === "unmapped");
    expect(unmapped).toMatchObject([
      { why: "unparsed", raw: "Warning: something" },
      { why: "unparsed", raw: "\ufffd\u0000\ufffd" },
      { why: "oversized", bytes: 17_000_000 },
    ]);
    expect(readFileSync(join(run?.dir ?? "", "agent-stdout.txt")).includes(Buffer.from("ff00fe0a", "hex"))).toBe(true);
  });

  test("warns when a live run works in the same folder", async () => {
    const made = scene();
    await made.cox([...demo, "-d", "--", "@slow 1000 50"]);
    const { stderr } = await made.cox([...demo, "--", "@say hi"]);
    expect(stderr).toContain("works in the same folder");
    await made.cox(["stop", "--all"]);
  });

  test("what the agent left running is gone", async () => {
    const made = scene();
    await made.cox([...demo, "--", "@daemon\n@say bye"]);
    const id = made.runs()[0]?.info?.run_id ?? "";
    expect(processesWithEnv("COX_RUN_ID", id)).toEqual([]);
  });
});

describe("signals", () => {
  async function signalled(made: Scene, prompt: string, ...signals: NodeJS.Signals[]) {
    const child = made.start([...demo, "--json", "--", prompt]);
    child.stdin?.end();
    const end = finished(child);
    await new Promise<void>((resolve) => {
      let seen = "";
      child.stdout?.on("data", (chunk) => {
        seen += String(chunk);
        if (seen.includes("tick 2")) resolve();
      });
    });
    for (const signal of signals) {
      child.kill(signal);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    return end;
  }

  test("Ctrl-C once interrupts the turn", async () => {
    const made = scene();
    expect((await signalled(made, "@slow 1000 20", "SIGINT")).code).toBe(130);
    const [run] = made.runs();
    expect(run?.events.find((event) => event.type === "complete")).toMatchObject({ outcome: "interrupted" });
    expect(run?.info).toMatchObject({ status: "failed", reason: "stopped" });
  });

  test("Ctrl-C twice stops an agent that ignores the first, and finishes the record", async () => {
    const made = scene();
    // It hangs as soon as it has said that, or the first signal would end it.
    const { code } = await signalled(made, "@ignore-sigterm\n@say tick 2\n@hang", "SIGINT", "SIGINT");
    expect(code).toBe(130);
    expect(made.runs()[0]?.info).toMatchObject({ status: "failed", reason: "stopped", exit_code: 130 });
  });

  test("SIGTERM ends the run with 143", async () => {
    const made = scene();
    expect((await signalled(made, "@slow 1000 20", "SIGTERM")).code).toBe(143);
    expect(made.runs()[0]?.info).toMatchObject({ status: "failed", reason: "stopped", exit_code: 143 });
  });
});

describe("a detached run", () => {
  test("is answered from elsewhere, takes a follow-up, is interrupted and stopped", async () => {
    const made = scene();
    const started = await made.cox(["run", "-d", "-i", "--agent", "demo", "--", "@permission may I?"]);
    const id = started.stdout.trim();
    expect(id).toBe("r1");
    const inbox = await until(async () => {
      const { stdout } = await made.cox(["inbox", "--json"]);
      return stdout.includes("may I?") && stdout;
    });
    expect(inbox).toContain(id);
    expect((await made.cox(["answer", `${id}.p0`, "allow"])).code).toBe(0);
    const again = await made.cox(["answer", `${id}.p0`, "deny"]);
    expect(again.code).not.toBe(0);
    expect(again.stderr).toMatch(/already allowed by .* at /);

    const events = () => made.runs()[0]?.events ?? [];
    await until(() => events().some((event) => event.type === "complete"));
    expect((await made.cox(["prompt", id, "@slow 1000 20"])).code).toBe(0);
    await until(() => events().some((event) => event.type === "message_chunk" && event.text.includes("tick 2")));
    expect((await made.cox(["interrupt", id])).code).toBe(0);
    await until(() => events().filter((event) => event.type === "complete").length === 2);

    expect((await made.cox(["prompt", id, "@say last words"])).code).toBe(0);
    await until(() => events().filter((event) => event.type === "complete").length === 3);
    expect((await made.cox(["stop", id])).code).toBe(0);
    expect(made.runs()[0]?.info).toMatchObject({ status: "completed", turns: 3 });
    expect((await made.cox(["output", id])).stdout).toContain("last words");
    expect((await made.cox(["prompt", id, "more"])).stderr).toContain("--resume");
  });

  test("that is stopped after its turn was interrupted ended so, and its task with it", async () => {
    const made = scene();
    await made.cox(["run", "-d", "-i", "--agent", "demo", "@question Which colour? | red | green"]);
    await until(async () => (await made.cox(["inbox"])).stdout.includes("colour"));
    await made.cox(["interrupt", "latest"]);
    await until(() => made.runs()[0]?.events.some((event) => event.type === "complete"));
    await made.cox(["stop", "latest"]);
    expect(made.runs()[0]?.info).toMatchObject({ status: "failed", reason: "stopped", exit_code: 130 });
    expect(JSON.parse((await made.cox(["task", "ls", "--json"])).stdout)).toMatchObject({ state: "failed" });
  });

  test("answered with always leaves a rule: the next run of that project does not ask, another project's does", async () => {
    const made = scene();
    const run = (project: string, ...more: string[]) =>
      made.cox(["run", ...more, "--agent", "demo", "--project", project, "@run echo yes"]);
    const id = (await run("shop", "-d")).stdout.trim();
    await until(async () => (await made.cox(["inbox", "--json"])).stdout.includes("echo yes"));
    const answered = await made.cox(["answer", `${id}.p0`, "always"]);
    expect(answered.stdout).toMatch(/^allowed r1.p0: .*\nfrom now on the same is allowed in project shop; /);
    await until(() => made.runs()[0]?.info?.status === "completed");
    expect((await made.cox(["rules"])).stdout).toMatch(/allow +execute +shop +all +\S+@\S+ terminal +echo yes/);
    expect(readFileSync(join(made.home, "audit.jsonl"), "utf8")).toMatch(`"what":"rule.made"`);
    const decided = async (project: string) => {
      await run(project);
      const [last] = made.runs().filter(({ info }) => info?.project_id === project && info.handle !== 1);
      return last?.events.find((event) => event.type === "request_resolved");
    };
    expect(await decided("shop")).toMatchObject({ outcome: "allowed", by: "rule" });
    expect(await decided("other")).toMatchObject({ outcome: "denied", by: "policy" });
  });

  test("is resumed by a new run that remembers", async () => {
    const made = scene();
    await made.cox([...demo, "--", "@say noted\nthe word is xyzzy"]);
    const { stdout } = await made.cox([...demo, "--resume", "latest", "--quiet", "--", "@memory"]);
    expect(stdout).toContain("xyzzy");
    const [first, second] = made.runs();
    expect(second?.info?.previous_run_id).toBe(first?.info?.run_id);
    expect(second?.events.find((event) => event.type === "session_status")).toMatchObject({ status: "resumed" });
  });

  test("50 at once: none is lost", { timeout: 120_000 }, async () => {
    const made = scene();
    const batch = async () => {
      for (let i = 0; i < 10; i += 1) expect((await made.cox([...demo, "-d", "--", "@say hi"])).code).toBe(0);
    };
    await Promise.all(Array.from({ length: 5 }, batch));
    await until(() => made.ledger().filter(({ type }) => type === "end").length === 50);
    const runs = made.runs();
    expect(runs).toHaveLength(50);
    expect(runs.every(({ info }) => info?.status === "completed")).toBe(true);
    const numbers = runs.map(({ info }) => info?.handle ?? 0).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });
});

describe("bad input gets a clear error and leaves nothing behind", () => {
  const cases: Record<string, [(made: Scene) => string[], number, string]> = {
    "unknown agent": [() => ["--agent", "nobody"], 2, 'agent "nobody": unknown; known are'],
    "agent name with a slash": [() => ["--agent", "../x"], 2, "not a valid name"],
    "missing workspace": [() => ["--cwd", "nowhere"], 2, "does not exist; create it"],
    "workspace is a file": [
      (made) => {
        writeFileSync(join(made.workspace, "file"), "");
        return ["--cwd", "file"];
      },
      2,
      "is not a folder",
    ],
    "workspace is the root": [() => ["--cwd", "/"], 2, "is the root of the file system"],
    "workspace is a link to the root": [
      (made) => {
        symlinkSync("/", join(made.workspace, "link"));
        return ["--cwd", "link"];
      },
      2,
      "is the root of the file system",
    ],
    "project with ..": [() => ["--project", ".."], 2, "not a valid name"],
    "task with a slash": [() => ["--task", "a/b"], 2, "not a valid name"],
    "task with a newline": [() => ["--task", "a\nb"], 2, "not a valid name"],
    "task of 300 characters": [() => ["--task", "a".repeat(300)], 2, "not a valid name"],
    "bad time": [() => ["--timeout", "soon"], 2, "not a time"],
    "bad policy": [() => ["--permissions", "perhaps"], 2, "choose ask, allow or deny"],
    "bad variable": [() => ["--env", "1X=2"], 2, "use NAME=VALUE"],
    "unknown option": [() => ["--colour", "red"], 2, "see `cox run --help`"],
    "nothing to resume": [() => ["--resume", "latest"], 1, "there is no run yet"],
  };

  test.each(Object.entries(cases))("%s", async (_, [args, code, message]) => {
    const made = scene();
    const result = await made.cox(["run", "--agent", "demo", ...args(made), "--", "@say hi"]);
    expect(result.stderr).toContain(message);
    expect(result.code).toBe(code);
    expect(existsSync(join(made.home, "projects"))).toBe(false);
  });

  test("a program that is not there: 127", async () => {
    const made = scene();
    mkdirSync(made.home, { recursive: true, mode: 0o700 });
    const mine = { id: "mine", name: "Mine", protocol: "acp", cmd: ["no-such-program"] };
    writeFileSync(join(made.home, "agents.json"), JSON.stringify([mine]));
    const { code, stdout, stderr } = await made.cox(["run", "--agent", "mine", "--", "hi"]);
    expect(code).toBe(127);
    expect(stdout + stderr).toContain("no-such-program: not found on PATH");
    expect(existsSync(join(made.home, "projects"))).toBe(false);
  });

  test("a program that is not executable: 126", async () => {
    const made = scene();
    mkdirSync(made.home, { recursive: true, mode: 0o700 });
    const file = join(made.folder, "plain.txt");
    writeFileSync(file, "");
    const mine = { id: "mine", name: "Mine", protocol: "acp", cmd: [file] };
    writeFileSync(join(made.home, "agents.json"), JSON.stringify([mine]));
    expect((await made.cox(["run", "--agent", "mine", "--", "hi"])).code).toBe(126);
  });

  test("a state root that can't be written", async () => {
    const made = scene();
    writeFileSync(made.home, "a file is in its place");
    const { code, stderr } = await made.cox([...demo, "--", "@say hi"]);
    expect(code).toBe(1);
    expect(stderr).toContain(made.home);
    expect(stderr).toMatch(/choose another folder|not a folder/);
  });
});

describe("fallback", () => {
  const other = { id: "other", name: "Other", protocol: "acp", cmd: ["{node}", "{package}/dist/demo.cjs"] };
  const absent = { id: "absent", name: "Absent", protocol: "acp", cmd: ["no-such-program"] };

  test.each([
    ["isn't installed", "absent", "@say fine", 1],
    ["isn't logged in", "demo", "@run test $JRUN_PREVIOUS\n@error auth", 2],
  ])("another agent takes over when the first %s", async (_, first, prompt, runs) => {
    const made = scene();
    mkdirSync(made.home, { recursive: true, mode: 0o700 });
    writeFileSync(join(made.home, "agents.json"), JSON.stringify([other, absent]));
    const args = [
      "run",
      "--permissions",
      "allow",
      "--agent",
      first,
      "--fallback",
      "other",
      "--project",
      "p",
      "--task",
      "t",
    ];
    const { stderr } = await made.cox([...args, "--", prompt]);
    expect(stderr).toMatch(/can't work \(.*\): other takes over/);
    const all = made.runs();
    expect(all).toHaveLength(runs);
    expect(all.at(-1)?.info?.agent).toBe("other");
    if (runs === 2) expect(all[1]?.info?.previous_run_id).toBe(all[0]?.info?.run_id);
    expect(readFileSync(join(made.home, "projects/p/t/TASK-MESSAGE-BUS.md"), "utf8")).toContain("other takes over");
  });

  test("a failure of the work itself is nobody else's", async () => {
    const made = scene();
    await made.cox([...demo, "--fallback", "demo", "--", "@error server"]);
    expect(made.runs()).toHaveLength(1);
  });
});

describe("cox wait", () => {
  test("says what it waits for, that a person is asked, and when the run goes on", async () => {
    const made = scene();
    const run = (await made.cox(["run", "-d", "-q", "--agent", "demo", "--", "@permission Do it"])).stdout.trim();
    const waiting = made.start(["wait", run]);
    const end = finished(waiting);
    let said = "";
    waiting.stderr?.on("data", (chunk) => {
      said += String(chunk);
    });
    await until(() => said.includes(`cox answer ${run}.`));
    expect(said).toMatch(new RegExp(`^waiting for ${run} \\(demo in `));
    await made.cox(["answer", `${run}.p0`, "allow"]);
    expect(await end).toMatchObject({ code: 0, stdout: `${run} completed\n` });
    expect(said).toContain(`${run} goes on\n`);
  });

  test("--no-ask ends where a person is asked, and not before", async () => {
    const made = scene();
    const start = async (prompt: string) =>
      (await made.cox(["run", "-d", "-q", "--agent", "demo", "--", prompt])).stdout.trim();
    const [asking, other] = [await start("@permission Do it"), await start("@say fine")];
    expect(await made.cox(["wait", "--no-ask", other])).toMatchObject({ code: 0 });
    const { code, stderr } = await made.cox(["wait", "--no-ask", other, asking]);
    expect(code).toBe(3);
    expect(stderr).toContain(`run ${asking} waits for a person`);
    await made.cox(["stop", asking]);
  });
});
