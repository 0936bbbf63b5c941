import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { homeAt, socketPath } from "../../src/core/store/home.ts";
import { isAlive, processesWithEnv, startTimeOf } from "../../src/lib/process/holders/identity.ts";
import { type Scene, scene, until } from "../support/cox.ts";
import { findTools } from "../support/executors.ts";

const { sandbox } = findTools();

const run = ["run", "--agent", "demo", "--on", "sandbox", "--permissions", "allow", "--no-preamble"];

/** What a shell command inside the sandbox printed, with its exit code at the end. */
async function inside(made: Scene, command: string, options: readonly string[] = []): Promise<string> {
  const { code, stderr } = await made.cox([...run, ...options, "--", `@run (${command}) 2>&1; echo "exit $?"`]);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return resultOf(made);
}

function resultOf(made: Scene): string {
  const own = made.runs().filter(({ info }) => info?.parent_run_id === "");
  const latest = own.toSorted((a, b) => (basename(a.dir) < basename(b.dir) ? -1 : 1)).at(-1);
  const events = latest?.events ?? [];
  const results = events.flatMap((event) => (event.type === "tool_update" && event.result ? [event.result] : []));
  return results.map((result) => (typeof result === "string" ? result : result.head)).join("");
}

describe.skipIf(!sandbox)("what a sandbox keeps from the agent", () => {
  test("writing outside the workspace", async () => {
    const made = scene();
    const beside = join(made.folder, "beside");
    mkdirSync(beside);
    for (const place of ["/etc", "/usr/local", "/var/lib", "/", beside]) {
      expect(await inside(made, `touch ${place}/cox-was-here`)).not.toContain("exit 0");
      expect(existsSync(join(place, "cox-was-here"))).toBe(false);
    }
    expect(await inside(made, "touch here && cat here")).toBe("exit 0\n");
    expect(existsSync(join(made.workspace, "here"))).toBe(true);
  });

  test("changing the kernel's settings, for root as well", async () => {
    // What is written is what is there: were it possible, it would do no harm.
    const setting = "/proc/sys/vm/swappiness";
    const made = scene();
    expect(await inside(made, `cp ${setting} value && cat value > ${setting}`)).toMatch(
      /(Read-only|denied).*\nexit [12]/,
    );
    // Others may change those of their own sandbox.
    if (process.getuid?.() !== 0) return;
    const others = "-path '/proc/[0-9]*' -prune -o -path /proc/pressure -prune -o -type f -writable -print";
    expect(await inside(made, `find /proc ${others}`)).toBe("exit 0\n");
  });

  test("reading COX_HOME", async () => {
    const made = scene();
    mkdirSync(made.home, { recursive: true, mode: 0o700 });
    writeFileSync(join(made.home, "config.yaml"), "project: secret\n");
    expect(await inside(made, `ls -a ${made.home}`)).toMatch(/No such file.*\nexit 2/);
    expect(await inside(made, `cat ${made.home}/config.yaml`)).toMatch(/No such file.*\nexit 1/);
  });

  test("reading COX_HOME in the workspace itself", async () => {
    const made = scene();
    const home = join(made.workspace, "state");
    const env = { COX_HOME: home };
    const command = `ls -a ${home}; touch ${home}/x`;
    await made.cox([...run, "--", `@run ${command}`], { env });
    const runs = execFileSync("find", [home, "-name", "events.jsonl"]).toString().trim();
    const text = readFileSync(runs, "utf8");
    expect(text).toContain("Read-only file system");
    expect(text).not.toContain("runs.jsonl");
    expect(existsSync(join(home, "x"))).toBe(false);
  });

  test("signalling the host, or anybody outside", async () => {
    const made = scene();
    const pids = [process.pid, process.ppid];
    expect(await inside(made, `kill -0 $PPID && ${pids.map((pid) => `kill -0 ${pid}`).join(" || ")}`)).toMatch(
      /No such process.*\nexit 1/s,
    );
    // Everybody it can see: the run ends by it, the host doesn't.
    const { code } = await made.cox([...run, "--", "@run kill -9 -1"]);
    expect(code).toBe(137);
    expect(made.runs().at(-1)?.info).toMatchObject({ status: "failed", reason: "signal", exit_code: 137 });
  });

  test.each([
    ["in the state folder", ""],
    ["in the short folder that a long state folder needs", "x".repeat(90)],
  ])("reaching the person's socket %s", async (_, longer) => {
    const made = scene();
    const env = { COX_HOME: join(made.folder, `home${longer}`) };
    const started = await made.cox([...run, "-d", "-i", "--", "@say ready"], { env });
    const id = readFileSync(join(env.COX_HOME, "handles", started.stdout.trim().slice(1)), "utf8").trim();
    const socket = socketPath(homeAt(env.COX_HOME), id);
    const script = join(made.workspace, "connect.mjs");
    writeFileSync(script, CONNECT);
    const outside = spawnSync(process.execPath, [script, socket], { timeout: 10_000 });
    expect(outside.stdout.toString()).toBe("connected\n");
    await made.cox(["prompt", id, `@run node connect.mjs ${socket} > answer.txt`], { env });
    const answer = await until(() => readOr(join(made.workspace, "answer.txt"), ""));
    await made.cox(["stop", id], { env });
    expect(answer).toBe("ENOENT\n");
  });

  test("the person's home; it has its own, which no other run sees", async () => {
    const made = scene();
    writeFileSync(join(made.folder, "key"), "secret");
    expect(await inside(made, "cat ~/key")).toContain("exit 1");
    expect(await inside(made, "echo mine > ~/mine; cat ~/mine")).toBe("mine\nexit 0\n");
    expect(existsSync(join(made.folder, "mine"))).toBe(false);
    expect(await inside(made, "ls ~/mine")).toContain("exit 2");
  });

  test("variables of the caller's, and our folders", async () => {
    const made = scene();
    Object.assign(made.env, { MY_SECRET: "s3cret", SSH_AUTH_SOCK: "/run/agent.sock", XDG_RUNTIME_DIR: "/run/user/1" });
    const env = await inside(made, "env", ["--env", "GIVEN=yes"]);
    expect(env).toMatch(/^GIVEN=yes$/m);
    for (const name of ["JRUN_RUN_FOLDER", "RUN_FOLDER"]) expect(env).toContain(`${name}=/run/coxswain/run\n`);
    for (const name of ["MY_SECRET", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "COX_HOME", "JRUN_MESSAGE_BUS"]) {
      expect(env).not.toContain(`${name}=`);
    }
    for (const name of ["TASK_FOLDER", "JRUN_RUNS_DIR"]) expect(env).not.toContain(`${name}=`);
    expect(env).not.toContain(made.home);
  });

  test("the network, where it is off", async () => {
    const server = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await until(() => server.listening);
    const { port } = server.address() as AddressInfo;
    const made = scene();
    const ask = `node -e 'fetch("http://127.0.0.1:${port}").then((r) => r.text()).then(console.log, () => console.log("unreachable"))'`;
    expect(await inside(made, ask)).toBe("hello\nexit 0\n");
    expect(await inside(made, ask, ["--network", "off"])).toBe("unreachable\nexit 0\n");
  });
});

describe.skipIf(!sandbox)("what a sandbox leaves", () => {
  test("output.md and DONE, as handed over; a link is not taken", async () => {
    const made = scene();
    await inside(made, "echo my summary > $RUN_FOLDER/output.md; touch $RUN_FOLDER/DONE", ["--task", "one"]);
    expect((await made.cox(["output", "latest"])).stdout).toBe("my summary\n");
    expect(readdirSync(join(made.runs()[0]?.dir ?? "", "../.."))).toContain("DONE");

    writeFileSync(join(made.folder, "key"), "secret");
    await inside(made, `ln -s ${made.folder}/key $RUN_FOLDER/output.md; mkfifo $RUN_FOLDER/DONE`, ["--task", "two"]);
    expect((await made.cox(["output", "latest"])).stdout).not.toContain("secret");
  });

  test("no process when its agent leaves daemons", async () => {
    const made = scene();
    await made.cox([...run, "--", "@daemon\n@run (setsid env -i sleep 987 &)\n@say bye"]);
    expect(processesWithEnv("COX_RUN_ID", made.runs()[0]?.info?.run_id ?? "")).toEqual([]);
    expect(commandsLike("sleep 987")).toEqual([]);
  });

  test("no process when its host is killed", async () => {
    const made = scene();
    const started = await made.cox([...run, "-d", "--", "@daemon\n@run (setsid env -i sleep 986 &)\n@hang"]);
    const id = made.idOf(started.stdout);
    await until(() => commandsLike("sleep 986").length > 0);
    const { host_pid: pid = 0, host_start: start = "" } = made.runs()[0]?.info ?? {};
    process.kill(pid, "SIGKILL");
    await until(() => !isAlive({ pid, start }));
    await until(() => commandsLike("sleep 986").length === 0 && processesWithEnv("COX_RUN_ID", id).length === 0);
    expect((await made.cox(["ls"])).stdout).toContain("host_lost");
  });

  test.each([
    ["is stopped", "@hang", true],
    ["leaves by itself", "@exit", false],
  ])("time to put things in order, to what an agent started, when it %s", async (_, end, stop) => {
    const made = scene();
    const careful = 'trap "sleep 0.5; touch saved; exit" TERM; touch waiting; while :; do sleep 0.05; done';
    writeFileSync(join(made.workspace, "careful.sh"), careful);
    const id = made.idOf(
      (await made.cox([...run, "-d", "--", `@run setsid sh careful.sh > /dev/null 2>&1 &\n@sleep 500\n${end}`])).stdout,
    );
    await until(() => existsSync(join(made.workspace, "waiting")));
    await made.cox([stop ? "stop" : "wait", id]);
    expect(existsSync(join(made.workspace, "saved"))).toBe(true);
    expect(processesWithEnv("COX_RUN_ID", id)).toEqual([]);
  });
});

describe.skipIf(!sandbox)("the agent's own socket, from inside", () => {
  test("posts on its task's bus, and starts children that are fenced in as it is", async () => {
    const made = scene();
    expect(await inside(made, 'cox bus post --type FACT "from inside"', ["--task", "mine"])).toContain("exit 0");
    expect(readFileSync(join(made.runs()[0]?.dir ?? "", "../../TASK-MESSAGE-BUS.md"), "utf8")).toContain("from inside");
    const child = `id=$(cox run -d --agent demo "@run cat ${made.home}/runs.jsonl") && cox wait $id`;
    expect(await inside(made, child)).toContain("exit 0");
    expect(made.runs().map(({ info }) => info?.on)).toEqual(["sandbox", "sandbox", "sandbox"]);
  });
});

describe.skipIf(!sandbox)("what comes of a sandbox stays in one", () => {
  test("a conversation that goes on", async () => {
    const made = scene();
    await made.cox([...run, "--network", "off", "--", "the word is xyzzy\n@say noted"]);
    const { stdout } = await made.cox(["run", "--resume", "latest", "-q", "--permissions", "allow", "--", "@memory"]);
    expect(stdout).toContain("xyzzy");
    expect(made.runs().map(({ info }) => [info?.on, info?.network])).toEqual([
      ["sandbox", "off"],
      ["sandbox", "off"],
    ]);
  });

  test("a conversation whose home is too much to copy, until somebody has cleaned up there", async () => {
    const made = scene();
    await made.cox([...run, "--", "the word is xyzzy\n@say noted"]);
    const holes = join(made.runs()[0]?.dir ?? "", "home", "holes");
    writeFileSync(holes, "");
    truncateSync(holes, 100 * 1024 ** 3);
    const again = ["run", "--resume", "latest", "-q", "--permissions", "allow", "--", "@memory"];
    const { code, stderr } = await made.cox(again);
    expect([code, stderr]).toEqual([1, expect.stringContaining("holds more than 8 GB, among them")]);
    rmSync(holes);
    expect((await made.cox(again)).stdout).toContain("xyzzy");
  });

  test("a task that its agent leaves to be done", async () => {
    const made = scene();
    const request = { id: 1, method: "task_create", params: { title: "More", prompt: "@say hi", task: "more" } };
    writeFileSync(join(made.workspace, "ask.mjs"), ASK);
    writeFileSync(join(made.workspace, "request.json"), JSON.stringify(request));
    expect(await inside(made, "node ask.mjs", ["--task", "first"])).toContain('/more"');
    const project = basename(join(made.runs()[0]?.dir ?? "", "../../.."));
    await made.cox(["task", "start", `${project}/more`]);
    const run = await until(() =>
      made.runs().find(({ info }) => info?.task_id === "more" && info.status !== "running"),
    );
    expect(run.info).toMatchObject({ status: "completed", on: "sandbox" });
  });
});

const ASK = `
import { connect } from "node:net";
import { readFileSync } from "node:fs";
const socket = connect(process.env.COX_SOCKET, () => socket.write(readFileSync("request.json", "utf8") + "\\n"));
socket.on("data", (answer) => console.log(String(answer)) || process.exit());
`;

describe("a sandbox that can't be", () => {
  test("without bubblewrap: the package is named, and nothing is made", async () => {
    const made = scene();
    const bin = join(made.folder, "bin");
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, "node"));
    const { code, stderr } = await made.cox([...run, "--", "@say hi"], { env: { PATH: bin } });
    expect(code).toBe(1);
    expect(stderr).toContain("install the package bubblewrap: apt-get install bubblewrap");
    expect(existsSync(join(made.home, "projects"))).toBe(false);
  });

  test.each([
    ["a workspace that holds the person's home", ["--cwd", "..", "--on", "sandbox"], "holds your home folder"],
    ["an unknown place", ["--on", "moon"], "choose local, container, sandbox"],
    ["no network on this machine itself", ["--on", "local", "--network", "off"], "add --on sandbox"],
    ["a model behind an API", ["--agent", "xai", "--on", "sandbox"], "a model behind an API"],
  ])("%s", async (_, args, message) => {
    const made = scene();
    const base = args.includes("--agent") ? [] : ["--agent", "demo"];
    const { code, stderr } = await made.cox(["run", ...base, ...args, "--", "@say hi"]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    rmSync(made.home, { recursive: true, force: true });
  });
});

const CONNECT = `
import { connect } from "node:net";
const say = (text) => console.log(text) || process.exit();
connect(process.argv[2]).on("connect", () => say("connected")).on("error", (error) => say(error.code));
`;

function readOr(path: string, otherwise: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : otherwise;
}

/** Live processes with exactly this command line, also those that cleared their environment. */
function commandsLike(command: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean);
      return words.join(" ") === command && startTimeOf(pid) !== undefined;
    } catch {
      return false;
    }
  });
}
