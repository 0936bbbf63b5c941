import { randomUUID } from "node:crypto";
import { messageOf } from "../../../contract/errors.ts";
import { startChild } from "../../../lib/process/child.ts";
import { findExecutable } from "../../../lib/process/path/executable.ts";
import { textual } from "../environment.ts";
import type { ContainerContext } from "./run.ts";

export interface SetupFailure {
  exitCode: number;
  failure: string;
}

const GRACE_MS = 10_000;

/** The workspace's own command before the agent. What it says goes to stderr: stdout is the agent's stream. */
export async function runSetup(
  words: readonly string[],
  { cwd, env, tell, stopping }: ContainerContext,
): Promise<SetupFailure | undefined> {
  const [program = "", ...args] = words;
  tell(`--- setup command: ${program}: started ---\n`);
  const exitCode = await run(program, args);
  tell(`--- setup command: ${program}: ${exitCode === 0 ? "done" : `failed with ${exitCode}`} ---\n`);
  return exitCode === 0 ? undefined : { exitCode, failure: `the setup command ${program} failed with ${exitCode}` };

  async function run(name: string, rest: readonly string[]): Promise<number> {
    try {
      const file = findExecutable(name, { path: env.PATH, cwd });
      const marker = { name: "COX_CONTAINER_RUN", value: randomUUID() };
      const child = await startChild({
        file,
        args: rest,
        cwd,
        env: textual(env),
        stdin: "ignore",
        stdout: 2,
        stderr: 2,
        marker,
      });
      const stop = () => void child.stop(GRACE_MS);
      stopping.addEventListener("abort", stop);
      const { code } = await child.exited;
      stopping.removeEventListener("abort", stop);
      return stopping.aborted && code === 0 ? 143 : code;
    } catch (error) {
      tell(`${messageOf(error)}\n`);
      return 127;
    }
  }
}
