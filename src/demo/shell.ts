import { spawn } from "node:child_process";
import { once } from "node:events";
import { exitOf } from "../lib/process/exit.ts";

interface ShellResult {
  /** As the shell says it: 128+N after signal N. */
  exitCode: number;
  /** stdout and stderr as they came. */
  output: string;
}

const MAX_OUTPUT = 256 * 1024;
/** A background child may hold the pipes for ever; what it prints later is not this command's output. */
const DRAIN_MS = 200;

/** Groups that must not outlive the agent, whichever way it ends. */
const running = new Set<number>();
process.on("exit", () => running.forEach(killGroup));

/** Runs in a group of its own, which is killed when the signal aborts. */
export async function runShell(command: string, cwd: string, signal: AbortSignal): Promise<ShellResult> {
  signal.throwIfAborted();
  const child = spawn("sh", ["-c", command], { cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const { pid } = child;
  const kill = () => pid !== undefined && killGroup(pid);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      if (output.length < MAX_OUTPUT) output = (output + text).slice(0, MAX_OUTPUT);
    });
  }
  if (pid !== undefined) running.add(pid);
  signal.addEventListener("abort", kill);
  const closed = once(child, "close").catch(() => {}); // the same error comes by "exit" below
  try {
    const [code, name] = await once(child, "exit");
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, DRAIN_MS))]);
    signal.throwIfAborted();
    return { exitCode: exitOf(code, name).code, output };
  } finally {
    signal.removeEventListener("abort", kill);
    if (pid !== undefined) running.delete(pid);
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // the group is gone already
  }
}
