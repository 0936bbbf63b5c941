import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { planLaunch } from "../src/core/agents/launch/launch.ts";
import { loadRegistry } from "../src/core/agents/registry/registry.ts";
import type { RunSpec } from "../src/core/runner/run.ts";
import { openHome } from "../src/core/store/home.ts";
import { systemClock } from "../src/lib/base/clock.ts";

export const root = process.cwd();
export const cox = join(root, "bin/cox");

/** A folder for the length of one benchmark; in memory where that is possible: the disk is not what we measure. */
export function temporary(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "cox-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** CPU seconds (user + system) of `times` executions, as the shell's children. */
export function cpuOf(command: string, times: number, env: NodeJS.ProcessEnv): number {
  const script = `set -e; for i in $(seq ${times}); do ${command} >/dev/null; done; times`;
  const { stdout, stderr, status } = spawnSync("bash", ["-c", script], { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  const [user = "", system = ""] = (stdout.trim().split("\n").at(-1) ?? "").split(" ");
  return seconds(user) + seconds(system);
}

function seconds(text: string): number {
  const [, minutes = "0", rest = "0"] = /^(\d+)m([\d.]+)s$/.exec(text) ?? [];
  return Number(minutes) * 60 + Number(rest);
}

export function demoSpec(folder: string, prompt: string, change: Partial<RunSpec> = {}): RunSpec {
  const plan = planLaunch({
    definition: loadRegistry().get("demo"),
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
