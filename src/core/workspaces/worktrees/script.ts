import { runCommand } from "../../../lib/process/command.ts";
import { findExecutable } from "../../../lib/process/path/executable.ts";

/** From the person's own configuration, never from a workspace: a line for the shell, or a program with its arguments. */
export type Script = string | readonly [string, ...string[]];

export interface ScriptResult {
  code: number;
  signal?: string;
  /** The end of what it said on stderr. */
  stderr: string;
}

interface ScriptOptions {
  cwd: string;
  /** COX_WORKTREE and the like, on top of the person's environment. */
  env: Readonly<Record<string, string>>;
  onOutput?: (chunk: Buffer) => void;
  signal?: AbortSignal;
}

const TIMEOUT_MS = 10 * 60_000;

/** A script that fails is a result, for people to see; only one that never ends is an error. */
export async function runScript(script: Script, { cwd, env, onOutput, signal }: ScriptOptions): Promise<ScriptResult> {
  const [name, ...args] = typeof script === "string" ? (["/bin/sh", "-c", script] as const) : script;
  const file = findExecutable(name, { path: process.env.PATH, cwd });
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...process.env, ...env })) {
    if (value !== undefined) environment[name] = value;
  }
  const output = onOutput ?? (() => {});
  const result = await runCommand(file, args, {
    cwd,
    env: environment,
    timeoutMs: TIMEOUT_MS,
    signal,
    onOutput: output,
  });
  return {
    code: result.code,
    ...(result.signal === undefined ? {} : { signal: result.signal }),
    stderr: result.stderr,
  };
}
