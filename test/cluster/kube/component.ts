import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** One program of the cluster. Its output is a file, which a failure to start quotes. */
export class Component {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #logFile: string;

  constructor(name: string, binary: string, args: readonly string[], logFile: string, env: NodeJS.ProcessEnv = {}) {
    this.name = name;
    this.#logFile = logFile;
    const log = createWriteStream(logFile, { flags: "a" });
    this.#child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
    this.#child.stdout?.pipe(log);
    this.#child.stderr?.pipe(log);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** What it said last, for whoever wonders why it doesn't work. */
  tail(): string {
    return readFileSync(this.#logFile, "utf8").split("\n").slice(-15).join("\n");
  }

  /** SIGKILL by default: an API server with open watches takes a minute to end politely. */
  async stop(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (this.ended) return;
    const exited = new Promise<void>((resolve) => this.#child.once("exit", () => resolve()));
    this.#child.kill(signal);
    await exited;
  }

  async until(what: string, ready: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      if (await ready().catch(() => false)) return;
      if (this.ended) throw new Error(`${this.name} ended before ${what}:\n${this.tail()}`);
      if (Date.now() > deadline) throw new Error(`${this.name}: no ${what} within ${timeoutMs} ms:\n${this.tail()}`);
      await sleep(50);
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
