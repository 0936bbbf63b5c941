import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Stream } from "node:stream";
import { AppError } from "../../contract/errors.ts";
import { type Exit, exitOf } from "./exit.ts";
import { factsOf } from "./holders/identity.ts";
import { startError } from "./start-error.ts";
import { Ladder, type Marker, send } from "./stop.ts";
import { withCallersUmask } from "./umask.ts";

export interface ChildSpec {
  /** Absolute. */
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** `pipe`: into the hands of whoever started it, as `output` and `errors`. */
  stdout: number | Stream | "pipe";
  stderr: number | "pipe";
  stdin: "pipe" | "ignore";
  /** Put into the environment, so that what leaves the group is found again. */
  marker: Marker;
  /** It keeps the real program in a place of its own: see `Group.keeper`. */
  keeper?: boolean;
}

export interface Child {
  readonly pid: number;
  /** With the pid it names the process; the pid alone is reused. */
  readonly startTime: string;
  /** Never rejects. Comes when the program has ended, whoever still holds its stdout. */
  readonly exited: Promise<Exit>;
  /** Its stdout and stderr, where they are pipes. They end when everybody who inherited them is gone. */
  readonly output: Readable | null;
  readonly errors: Readable | null;
  /** Resolves when the pipe took the text; rejects when nobody will read it. */
  write(text: string): Promise<void>;
  /** Closes its stdin. */
  end(): void;
  /** To the whole group; nothing happens when the leader is gone. */
  signal(signal: NodeJS.Signals): void;
  /** TERM to all of its tree, grace, KILL. A second call with less grace shortens the wait of the first. */
  stop(graceMs: number): Promise<Exit>;
}

/** Starts a program in a session and process group of its own. Throws an AppError when it can't be started. */
export async function startChild(spec: ChildSpec): Promise<Child> {
  const child = spawnOrThrow(spec);
  const failed = new Promise((resolve) => {
    child.on("error", resolve);
  });
  // Only the event says why there is no pid.
  if (child.pid === undefined) throw startError(spec, await failed);
  return own(child, child.pid, spec);
}

function spawnOrThrow({ file, args, cwd, env, stdin, stdout, stderr, marker }: ChildSpec): ChildProcess {
  try {
    return withCallersUmask(() =>
      spawn(file, args, {
        cwd,
        env: { ...env, [marker.name]: marker.value },
        detached: true,
        stdio: [stdin, stdout, stderr],
      }),
    );
  } catch (error) {
    throw startError({ file, cwd }, error);
  }
}

function own(child: ChildProcess, pid: number, { marker, keeper }: ChildSpec): Child {
  let running = true;
  const exited = new Promise<Exit>((resolve) => {
    // Not `close`: that waits for everybody who inherited the pipe.
    child.once("exit", (code, signal) => {
      running = false;
      resolve(exitOf(code, signal));
    });
  });
  let ladder: Ladder | undefined;
  // An agent that ends without reading its stdin breaks the pipe; the write that hit it rejects.
  child.stdin?.on("error", () => {});

  return {
    pid,
    // It may have ended already, but nobody has waited for it yet, so the facts are there.
    startTime: factsOf(pid)?.start ?? "",
    exited,
    output: child.stdout,
    errors: child.stderr,
    write: (text) => write(child, text),
    end: () => child.stdin?.end(),
    signal: (signal) => {
      if (running) send(-pid, signal);
    },
    async stop(graceMs) {
      ladder ??= new Ladder(marker, { pid, isLed: () => running, exited, keeper });
      await ladder.stop(graceMs);
      return exited;
    },
  };
}

function write({ stdin }: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (cause?: Error) =>
      reject(new AppError("agent.failed", "write to agent: it no longer reads its stdin", {}, { cause }));
    if (stdin === null) return refuse();
    // What is cut off by the end of the program is no error to Node.
    stdin.write(text, (error) => (error || stdin.destroyed ? refuse(error ?? undefined) : resolve()));
  });
}
