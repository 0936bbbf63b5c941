import { AppError } from "../../contract/errors.ts";
import { startChild } from "../../lib/process/child.ts";
import { findExecutable } from "../../lib/process/path/executable.ts";

/**
 * The first process of a container inherits every orphan and must bury it, which Node doesn't. So when it is us, a real init
 * runs the same command again, with itself set up to inherit the orphans; we pass signals on and end as it does.
 */
export async function underInit(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signals: NodeJS.EventEmitter,
): Promise<number> {
  const plain = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const child = await startChild({
    file: findInit(env.PATH),
    args: ["-s", "-g", "--", process.execPath, ...args],
    cwd: process.cwd(),
    env: plain,
    stdin: "ignore",
    stdout: 1,
    stderr: 2,
    marker: { name: "COXSWAIN_INIT", value: "1" },
  });
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const) {
    signals.on(name, () => child.signal(name));
  }
  return (await child.exited).code;
}

function findInit(path: string | undefined): string {
  try {
    return findExecutable("tini", { path, cwd: "/" });
  } catch (cause) {
    const message =
      'cox is the first process here and would not bury orphans: start it as `tini -g -- cox …` (ENTRYPOINT ["tini", "-g", "--"]), install tini, or run the container with --init';
    throw new AppError("platform.unsupported", message, {}, { cause });
  }
}
