import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { planLaunch } from "../../src/core/agents/launch/launch.ts";
import { Registry } from "../../src/core/agents/registry/registry.ts";
import type { RunSpec } from "../../src/core/runner/run.ts";
import { openHome } from "../../src/core/store/home.ts";
import { systemClock } from "../../src/lib/base/clock.ts";

export const root = process.cwd();
export const cox = join(root, "bin/cox");

/** A folder for the length of one benchmark; in memory where that is possible: the disk is not what we measure. */
export function temporary(): { folder: string } {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "cox-bench-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return { folder };
}

const leftToDo = new Set<() => void>();
process.on("exit", () => {
  for (const work of [...leftToDo].toReversed()) work();
});

/** Done when the bench ends, however it does; the returned function takes it back. The last ones go first. */
export function atEnd(work: () => void): () => void {
  leftToDo.add(work);
  return () => void leftToDo.delete(work);
}

/** CPU milliseconds (user + system) of a command: the mean of `times` executions, as the shell's children. */
export function cpuOf(command: string, times: number, env: NodeJS.ProcessEnv): number {
  return timed("bash", ["-c", `set -e; ${repeated(command, times)}; times`], env) / times;
}

/**
 * The same with all that was left running: in a process namespace, whose first process inherits it and waits until it is alone.
 * Waiting costs nothing: a pipe on which nobody writes.
 */
export function cpuOfAll(command: string, times: number, env: NodeJS.ProcessEnv): number {
  const alone = "all=(/proc/[0-9]*); (( ${#all[@]} == 1 ))";
  const script = `set -e; exec 9<> <(:); ${repeated(command, times)}; until ${alone}; do read -t 0.01 -u 9 || true; done; times`;
  const unprivileged = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  return timed("unshare", [...unprivileged, "--pid", "--fork", "--mount-proc", "bash", "-c", script], env) / times;
}

/** At a terminal of its own, and with its exit code. */
export const atTerminal = (command: string): string => `script -qec "${command}" /dev/null </dev/null`;

const repeated = (command: string, times: number): string => `for i in $(seq ${times}); do ${command} >/dev/null; done`;

function timed(program: string, args: string[], env: NodeJS.ProcessEnv): number {
  const { stdout, stderr, status, error } = spawnSync(program, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.at(-1)}: ${error?.message ?? stderr}`);
  const [user = "", system = ""] = (stdout.trim().split("\n").at(-1) ?? "").split(" ");
  return milliseconds(user) + milliseconds(system);
}

function milliseconds(text: string): number {
  const [, minutes = "0", rest = "0"] = /^(\d+)m([\d.]+)s$/.exec(text) ?? [];
  return (Number(minutes) * 60 + Number(rest)) * 1000;
}

export function demoSpec(folder: string, prompt: string, change: Partial<RunSpec> = {}): RunSpec {
  const plan = planLaunch({
    definition: new Registry().get("demo"),
    workspace: folder,
    permissions: "allow",
    own: { node: process.execPath, package: root },
  });
  return {
    home: openHome(join(folder, "home")),
    plan,
    who: { agent: "demo", profile: "" },
    what: { prompt: [{ type: "text", text: prompt }], mode: "batch", preamble: false },
    where: { project: "bench", task: "bench", workspace: folder, env: { DEMO_SPEED: "0", DEMO_HOME: folder } },
    limits: { permissions: "allow", timeoutMs: 60_000 },
    lineage: { by: "bench" },
    policy: { default: "allow" },
    callerEnv: process.env,
    mcpServers: [],
    bin: join(root, "bin"),
    clock: systemClock,
    ...change,
  };
}
