import { type ChildProcess, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { basename } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { errnoOf } from "../files/disk-error.ts";
import { type Exit, exitOf } from "./exit.ts";
import { withOwnPath } from "./path/environment.ts";
import { send } from "./stop.ts";

export interface CommandOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  input?: string | Uint8Array;
  timeoutMs: number;
  /** Of stdout; what prints more is ended, and the result says `truncated`. */
  maxBytes?: number;
  signal?: AbortSignal;
  /** For the files it makes, where they should be less private than ours. */
  umask?: number;
  /** Gets the output as it comes. Then nothing is kept and there is no limit. */
  onOutput?: (chunk: Buffer, from: "stdout" | "stderr") => void;
}

export interface CommandResult extends Exit {
  stdout: Buffer;
  /** Its last 8 KB. */
  stderr: string;
  truncated: boolean;
}

const MAX_BYTES = 64 * 1024 * 1024;
const STDERR_BYTES = 8 * 1024;
const GRACE_MS = 2000;
const DRAIN_MS = 500;

/**
 * Runs a short-lived program to its end, in a session and group of its own: it has no terminal to ask on. Whatever it exits
 * with is a result; being too slow, cancelled or impossible to start is thrown. It never hangs: the end of the program counts,
 * not the end of everybody who inherited its output. What agents can write is not on its PATH.
 */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  options.signal?.throwIfAborted();
  const child = start(file, args, options);
  const failed = new Promise<unknown>((resolve) => child.on("error", resolve));
  if (child.pid === undefined) throw startError(file, options.cwd, await failed);
  const kept = keep(child, options);
  const ending = new Ending(child, child.pid);
  const timer = setTimeout(() => ending.begin("timeout"), options.timeoutMs);
  const abort = () => ending.begin("abort");
  options.signal?.addEventListener("abort", abort);
  kept.onFull = () => ending.begin("full");
  child.stdin?.on("error", () => {}); // it ended without reading: its exit says why
  child.stdin?.end(options.input);
  try {
    const exit = await ending.exited;
    await drained(child);
    if (ending.why === "abort") throw options.signal?.reason;
    if (ending.why === "timeout") throw tooSlow(file, options.timeoutMs, kept.stderr());
    return { ...exit, stdout: kept.stdout(), stderr: kept.stderr(), truncated: ending.why === "full" };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", abort);
  }
}

function start(file: string, args: readonly string[], { cwd, env, input, umask }: CommandOptions): ChildProcess {
  // Nothing else of ours runs between the two calls: spawning is synchronous.
  const before = umask === undefined ? undefined : process.umask(umask);
  try {
    return spawn(file, args, {
      cwd,
      env: withOwnPath(env),
      detached: true,
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
  } catch (error) {
    throw startError(file, cwd, error);
  } finally {
    if (before !== undefined) process.umask(before);
  }
}

interface Kept {
  onFull: () => void;
  stdout(): Buffer;
  stderr(): string;
}

function keep(child: ChildProcess, { maxBytes = MAX_BYTES, onOutput }: CommandOptions): Kept {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let tail: Buffer = Buffer.alloc(0);
  const kept: Kept = {
    onFull: () => {},
    stdout: () => Buffer.concat(chunks),
    stderr: () => tail.toString("utf8").trim(),
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    if (onOutput !== undefined) return onOutput(chunk, "stdout");
    const room = maxBytes - bytes;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    bytes += chunk.length;
    if (chunk.length > room) kept.onFull();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    onOutput?.(chunk, "stderr");
    tail = Buffer.concat([tail, chunk]).subarray(-STDERR_BYTES);
  });
  return kept;
}

/** TERM to the group, a short grace, KILL. */
class Ending {
  readonly exited: Promise<Exit>;
  readonly #pid: number;
  why: "timeout" | "abort" | "full" | undefined;
  #running = true;
  #kill: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, pid: number) {
    this.#pid = pid;
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#running = false;
        clearTimeout(this.#kill);
        // At this moment nobody else can have the number yet, so what is left of the group can still be told.
        if (this.why !== undefined) send(-pid, "SIGKILL");
        resolve(exitOf(code, signal));
      });
    });
  }

  begin(why: "timeout" | "abort" | "full"): void {
    if (!this.#running || this.why !== undefined) return;
    this.why = why;
    send(-this.#pid, "SIGTERM");
    this.#kill = setTimeout(() => {
      if (this.#running) send(-this.#pid, "SIGKILL");
    }, GRACE_MS);
  }
}

/** What it left in the pipes is read; a background process that holds them open is not waited for. */
function drained(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const streams = [child.stdout, child.stderr];
    const done = () => {
      clearTimeout(timer);
      for (const stream of streams) stream?.destroy();
      resolve();
    };
    const timer = setTimeout(done, DRAIN_MS);
    let open = streams.filter((stream) => stream !== null && !stream.closed && !stream.readableEnded).length;
    if (open === 0) return done();
    for (const stream of streams) {
      stream?.once("close", () => {
        open -= 1;
        if (open <= 0) done();
      });
    }
  });
}

function tooSlow(file: string, timeoutMs: number, stderr: string): AppError {
  const said = stderr === "" ? "" : ` (it said: ${stderr.split("\n").at(-1)})`;
  return new AppError("timeout", `${basename(file)}: took longer than ${timeoutMs / 1000} s and was ended${said}`);
}

/** Neither arguments nor environment get into the message. */
function startError(file: string, cwd: string, cause: unknown): AppError {
  if (!isFolder(cwd)) {
    return new AppError("workspace.invalid", `start ${basename(file)}: ${cwd} is not a folder`, { cwd }, { cause });
  }
  const errno = errnoOf(cause);
  return new AppError("internal", `start ${basename(file)}: ${file}: failed with ${errno}`, { file, errno }, { cause });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
