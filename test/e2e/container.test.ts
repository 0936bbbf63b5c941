import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { listContainers, removeContainers } from "../../src/lib/process/holders/container-note.ts";
import { isAlive, processesWithEnv } from "../../src/lib/process/holders/identity.ts";
import { findExecutable } from "../../src/lib/process/path/executable.ts";
import { type Scene, scene, until } from "../support/cox.ts";
import { type Containers, findTools, writeContainerSettings } from "../support/executors.ts";
import { COMMIT, canary, inside, notices, repository, use } from "../support/fenced-git.ts";

const { container: found } = findTools();
/** Without root an engine can hold no limits with the first version of control groups. */
const canLimit = process.getuid?.() === 0 || existsSync("/sys/fs/cgroup/cgroup.controllers");
const run = ["run", "--agent", "demo", "--permissions", "allow", "--no-preamble"];

/** A scene whose demo lives in an image, and is started there unless somebody says otherwise. */
function stage(fields: object = {}): { made: Scene; containers: Containers; names(): Promise<string[]> } {
  if (found === undefined) throw new Error("there is no engine");
  const containers = found;
  const made = scene();
  Object.assign(made.env, containers.env);
  const [image, tag] = containers.image.split(/:(?=[^:]*$)/);
  writeContainerSettings(made.home, containers, { image, tag, ...fields });
  const env = { ...process.env, ...containers.env };
  const file = findExecutable(containers.engine, { path: env.PATH, cwd: "/" });
  /** Those of this scene: others may have theirs. */
  const names = async () => {
    if (!existsSync(join(made.home, "projects"))) return [];
    const ids = new Set(made.runs().map(({ info }) => info?.run_id));
    const all = (await listContainers(file, [], env)) ?? [];
    return all.filter((name) => ids.has(name.replace(/^cox-/, "").split(".")[0]));
  };
  onTestFinished(async () => {
    await removeContainers(file, await names(), env);
  });
  return { made, containers, names };
}

const resultOf = (made: Scene) =>
  (made.runs()[0]?.events ?? [])
    .flatMap((event) => (event.type === "tool_update" && event.result ? [event.result] : []))
    .map((result) => (typeof result === "string" ? result : result.head))
    .join("");

describe.skipIf(found === undefined)("a container", { timeout: 60_000 }, () => {
  test("is where a definition with an image runs its command, with the workspace and nothing of ours", async () => {
    const { made, names } = stage({ resource_limits: { memory_mb: 333, cpu_cores: 1 } });
    Object.assign(made.env, { MY_SECRET: "s3cret" });
    execFileSync("git", ["-C", made.workspace, "init", "-q"]);
    const look = [
      "id -u; pwd; touch made; echo ~; env",
      `ls ${made.home}; ls /work /tmp/cox-*`,
      "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max",
      "echo summary > $RUN_FOLDER/output.md",
      "touch .git/made",
      "cox bus post from inside",
      "cat /proc/self/status",
    ];
    const { code, stderr } = await made.cox([...run, "--", `@run (${look.join(";")}) 2>&1`]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const said = resultOf(made);
    expect(said).toMatch(new RegExp(`^${process.getuid?.()}\n${made.workspace}\n/home/coxswain\n`));
    expect(said).toContain("RUN_FOLDER=/run/coxswain/run\n");
    expect(said).toMatch(/^PATH=\/opt\/coxswain\/bin:/m);
    for (const hidden of ["MY_SECRET", "COX_HOME=", "JRUN_TASK_FOLDER", "DEMO_SPEED"])
      expect(said).not.toContain(hidden);
    expect(said).toContain(`${made.home}': No such file`);
    if (canLimit) expect(said).toContain(String(333 * 1024 * 1024));
    expect(readFileSync(join(made.runs()[0]?.dir ?? "", "../../TASK-MESSAGE-BUS.md"), "utf8")).toContain("from inside");
    expect(said).toMatch(/^NoNewPrivs:\t1$/m);
    expect(existsSync(join(made.workspace, ".git/made"))).toBe(false);
    expect(statSync(join(made.workspace, "made")).uid).toBe(process.getuid?.());
    expect((await made.cox(["output", "latest"])).stdout).toBe("summary\n");
    expect(made.runs()[0]?.info).toMatchObject({ status: "completed", on: "container" });
    expect(await names()).toEqual([]);
  });

  test("starts by itself from an image alone", async () => {
    const { made } = stage({ cmd: [], entrypoint: ["node", "/opt/coxswain/dist/demo.cjs"] });
    const { code, stdout } = await made.cox([...run, "-q", "--", "@say from the image"]);
    expect([code, stdout.trim()]).toEqual([0, "from the image"]);
  });

  test("gives no secret to its engine's arguments", async () => {
    const { made } = stage();
    const id = made.idOf(
      (await made.cox([...run, "-d", "--env", "TOKEN=s3cret", "--", "@run echo $TOKEN > token\n@hang"])).stdout,
    );
    const token = join(made.workspace, "token");
    // It is there before anything is in it.
    const written = await until(() => existsSync(token) && readFileSync(token, "utf8"));
    expect(written).toBe("s3cret\n");
    const command = readFileSync(`/proc/${made.runs()[0]?.info?.pid}/cmdline`, "utf8");
    expect(command).toContain("--env\0TOKEN\0");
    expect(command).not.toContain("s3cret");
    await made.cox(["stop", id]);
  });

  test("is stopped and removed with its run", async () => {
    const { made, names } = stage();
    const id = made.idOf(
      (await made.cox([...run, "-d", "--", "@run touch ready\n@ignore-sigterm\n@daemon\n@hang"])).stdout,
    );
    await until(() => existsSync(join(made.workspace, "ready")));
    expect(await names()).toEqual([`cox-${id}`]);
    expect((await made.cox(["stop", id])).code).toBe(0);
    expect(await names()).toEqual([]);
    expect(processesWithEnv("COX_RUN_ID", id)).toEqual([]);
  });

  test.each([
    ["the next start of a container", ["run", "--agent", "demo", "--", "@say hi"]],
    ["whoever looks next", ["ls"]],
  ])("whose host was killed is gone after %s", async (_, next) => {
    // Something in it ignores the end of the agent's input, or it would end by itself.
    const { made, names } = stage({ cmd: ["sh", "-c", "node {package}/dist/demo.cjs; sleep 1000"] });
    const id = made.idOf((await made.cox([...run, "-d", "--", "@run touch ready\n@hang"])).stdout);
    await until(() => existsSync(join(made.workspace, "ready")));
    const { host_pid: pid = 0, host_start: start = "" } = made.runs()[0]?.info ?? {};
    process.kill(pid, "SIGKILL");
    await until(() => !isAlive({ pid, start }));
    expect(await names()).toEqual([`cox-${id}`]);
    await made.cox(next);
    expect(await names()).toEqual([]);
    expect(made.runs().find(({ info }) => info?.run_id === id)?.info?.reason).toBe("host_lost");
  });

  test("that even our records forgot is found by its label", async () => {
    const { made, containers, names } = stage();
    await made.cox([...run, "--", "@say hi"]);
    const [first] = made.runs();
    const id = first?.info?.run_id ?? "";
    const label = createHash("sha256").update(made.home).digest("hex").slice(0, 16);
    const args = [
      "run",
      "-d",
      "--name",
      `cox-${id}`,
      "--label",
      `coxswain.home=${label}`,
      containers.image,
      "sleep",
      "100",
    ];
    execFileSync(containers.engine, args, { env: { ...process.env, ...containers.env } });
    expect(await names()).toEqual([`cox-${id}`]);
    await made.cox([...run, "--", "@say hi"]);
    expect(await names()).toEqual([]);
  });

  test("of an image that isn't there: it says so, and nothing is made", async () => {
    const { made } = stage({ image: "localhost/cox-no-such-image", tag: "1" });
    const { code, stderr } = await made.cox([...run, "--", "@say hi"]);
    expect(code).toBe(1);
    expect(stderr).toContain("image localhost/cox-no-such-image:1:");
    expect(existsSync(join(made.home, "projects"))).toBe(false);
  });
});

describe("a container that can't be", () => {
  test("without an engine: the package is named, and nothing is made", async () => {
    const made = scene();
    mkdirSync(made.home, { recursive: true, mode: 0o700 });
    writeFileSync(join(made.home, "agents.json"), JSON.stringify([{ id: "demo", name: "Demo", image: "x" }]));
    const bin = join(made.folder, "bin");
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, "node"));
    const { code, stderr } = await made.cox([...run, "--", "@say hi"], { env: { PATH: bin } });
    expect(code).toBe(1);
    expect(stderr).toContain("install the package podman (apt-get install podman");
    expect(existsSync(join(made.home, "projects"))).toBe(false);
  });

  test("without an image", async () => {
    const { code, stderr } = await scene().cox(["run", "--agent", "demo", "--on", "container", "--", "@say hi"]);
    expect(stderr).toContain("agent demo names no image; set image in agents.json");
    expect(code).toBe(2);
  });
});

describe.skipIf(found === undefined)("git in a container", { timeout: 120_000 }, () => {
  test("is the agent's own: what it commits arrives, and nothing else of it", async () => {
    const { made } = stage();
    const git = repository(made.workspace);
    const { program, wasRun } = canary(made);
    const script = `git config core.fsmonitor ${program}; mkdir .git/hooks; cp ${program} .git/hooks/post-commit
      echo "[core] fsmonitor = ${program}" > .git/config.worktree; mv .git away; echo two > file
      ${COMMIT} -c core.fsmonitor=false -c core.hooksPath=/dev/null commit -qam second`;
    await inside(made, script, run);
    expect(notices(made)).toEqual([]);
    expect(git("log", "--format=%s")).toBe("second\nfirst\n");
    await inside(made, "echo ../x > .git/commondir; touch x", run);
    use(git);
    expect(wasRun()).toBe(false);
  });

  test("of a worktree leaves the repository it comes from alone; its branch gets the commits", async () => {
    const { made } = stage();
    const git = repository(made.workspace);
    git("branch", "precious");
    const script = `git branch -D precious; echo two > file; ${COMMIT} commit -qam second; touch ${made.workspace}/.git/x`;
    await made.cox([...run, "--worktree", "--task", "side", "--", `@run ${script}`]);
    expect(git("branch", "--list", "precious")).toContain("precious");
    expect(git("log", "--all", "--format=%s")).toContain("second\n");
    expect(existsSync(join(made.workspace, ".git/x"))).toBe(false);
  });

  test("is no other repository, whatever a workspace without git claims", async () => {
    const { made } = stage();
    const other = join(made.folder, "other");
    repository(other);
    const claim = `mkdir x; echo "gitdir: x" > .git; echo ${other}/.git > x/commondir; echo ${made.workspace}/.git > x/gitdir`;
    await inside(made, claim, run);
    expect(await inside(made, `touch ${other}/.git/hooks/x`, run)).toContain("exit 1");
    expect(existsSync(join(made.workspace, ".git"))).toBe(false);
  });
});
