import { spawn } from "node:child_process";
import { join } from "node:path";
import { AppError, isErrorCode } from "../../contract/errors.ts";
import type { RunRequest, StartedRun, StartRun } from "../../contract/runs/request.ts";
import { BUILD } from "../../lib/base/version.ts";
import { packageRoot } from "../../lib/files/package-root.ts";
import { withCallersUmask } from "../../lib/process/umask.ts";

/** A host mostly waits: it gets a small heap rather than a fast one. */
const SMALL = ["--max-semi-space-size=1", "--optimize-for-size"];

/** What a host is told on its stdin, and what it answers in one line. */
export interface HostOrder {
  build: string;
  request: RunRequest;
}
export type HostAnswer = { started: StartedRun } | { error: { code: string; message: string } };

/** Starts a host of its own for the run, outside our session. It decides; a refusal comes back before anything is made. */
export async function startDetached(request: RunRequest, env: NodeJS.ProcessEnv): Promise<StartedRun> {
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
  const line = await firstLine(child.stdout);
  child.stdout.destroy();
  child.unref();
  if (line === "") throw new AppError("internal", "the host died before it began; try without -d to see why");
  const answer: HostAnswer = JSON.parse(line);
  if ("started" in answer) return answer.started;
  const { code, message } = answer.error;
  throw new AppError(isErrorCode(code) ? code : "internal", message);
}

/** How this process starts runs: as children of the run it is in, if it is in one. */
export const startFrom =
  (env: NodeJS.ProcessEnv): StartRun =>
  (request) =>
    startDetached({ ...request, lineage: { parent: env.COX_RUN_ID, ...request.lineage } }, env);

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

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += String(chunk);
    const end = text.indexOf("\n");
    if (end !== -1) return text.slice(0, end);
  }
  return text;
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
