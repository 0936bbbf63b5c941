import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { AppError, isErrorCode } from "../../contract/errors.ts";
import type { RunRequest, StartedRun, StartRun } from "../../contract/runs/request.ts";
import { BUILD } from "../../lib/base/version.ts";
import { packageRoot } from "../../lib/files/package-root.ts";
import { withCallersUmask } from "../../lib/process/umask.ts";
import { linesOf } from "../../lib/text/lines.ts";

/** A host mostly waits: it gets a small heap rather than a fast one. */
const SMALL = ["--max-semi-space-size=1", "--optimize-for-size"];

/** What a host is told on its stdin, and what it answers in one line; another follows when another agent takes over. */
export interface HostOrder {
  build: string;
  request: RunRequest;
}
export type HostAnswer = { started: StartedRun } | { error: { code: string; message: string } };

/** A host of its own, seen by whoever started it. */
export interface DetachedHost {
  started: StartedRun;
  /** The run of the agent that took over, if one did; otherwise nothing, once the host has gone. */
  next(): Promise<StartedRun | undefined>;
  /** From here on nobody here waits for it. */
  letGo(): void;
}

/** Starts a host of its own for the run, outside our session. It decides; a refusal comes back before anything is made. */
export async function openDetached(request: RunRequest, env: NodeJS.ProcessEnv): Promise<DetachedHost> {
  const child = withCallersUmask(() =>
    spawn(process.execPath, [...SMALL, join(packageRoot(), "bin", "cox"), "host"], {
      cwd: "/",
      // Without the mark of an outer run: its end must not take this host along.
      env: { ...env, COX_RUN_ID: undefined },
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
    }),
  );
  child.stdin.on("error", () => {}); // it died: the missing answer says so
  child.stdin.end(JSON.stringify({ build: BUILD, request } satisfies HostOrder));
  const runs = startedRuns(child.stdout);
  const letGo = () => {
    child.stdout.destroy();
    child.unref();
  };
  try {
    const next = async () => (await runs.next()).value;
    const started = await next();
    if (started !== undefined) return { started, next, letGo };
    throw new AppError("internal", "the host died before it began; try with --no-detach to see why");
  } catch (error) {
    letGo();
    throw error;
  }
}

/** For those who only want to know which run it is. */
export async function startDetached(request: RunRequest, env: NodeJS.ProcessEnv): Promise<StartedRun> {
  const { started, letGo } = await openDetached(request, env);
  letGo();
  return started;
}

async function* startedRuns(answers: Readable): AsyncGenerator<StartedRun, undefined> {
  for await (const lines of linesOf(answers)) {
    for (const line of lines) {
      if (!("text" in line)) throw new AppError("internal", `the host answered ${line.oversized} bytes`);
      const answer: HostAnswer = JSON.parse(line.text);
      if ("error" in answer) {
        const { code, message } = answer.error;
        throw new AppError(isErrorCode(code) ? code : "internal", message);
      }
      yield answer.started;
    }
  }
}

/** How this process starts runs: as children of the run it is in, if it is in one. */
export const startFrom =
  (env: NodeJS.ProcessEnv): StartRun =>
  (request) =>
    startDetached(inRunOf(env, request), env);

export const inRunOf = (env: NodeJS.ProcessEnv, request: RunRequest): RunRequest => ({
  ...request,
  lineage: { parent: env.COX_RUN_ID, ...request.lineage },
});

/** Sends what waits in the outbox, in a process of its own: nobody waits for it, and its failure is nobody's. */
export function startSender(env: NodeJS.ProcessEnv): void {
  const child = spawn(process.execPath, [join(packageRoot(), "bin", "cox"), "notify", "send"], {
    cwd: "/",
    env: { ...env, COX_RUN_ID: undefined },
    detached: true,
    stdio: "ignore",
  });
  child.on("error", () => {}); // the next `cox` tries again
  child.unref();
}

export interface DetachedSupervisor {
  /** Aborts when it has ended. */
  gone: AbortSignal;
  /** From here on nobody here waits for it. */
  letGo(): void;
}

/** Starts a supervisor outside our session, with its log in a file. */
export function startSupervisor(
  args: readonly string[],
  { env, cwd, log }: { env: NodeJS.ProcessEnv; cwd: string; log: number },
): DetachedSupervisor {
  const child = withCallersUmask(() =>
    spawn(process.execPath, [join(packageRoot(), "bin", "cox"), ...args], {
      cwd,
      env: { ...env, COX_RUN_ID: undefined },
      detached: true,
      stdio: ["ignore", log, log],
    }),
  );
  const gone = new AbortController();
  child.on("error", () => gone.abort());
  child.on("exit", () => gone.abort());
  return { gone: gone.signal, letGo: () => child.unref() };
}
