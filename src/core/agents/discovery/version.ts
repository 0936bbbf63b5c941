import { basename } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { runCommand } from "../../../lib/process/command.ts";

const LIMIT_MS = 5000;

/** What `--version` says after these words, or undefined when it says nothing in time. */
export async function versionOf(
  [file, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  timeoutMs = LIMIT_MS,
): Promise<string | undefined> {
  try {
    const options = { env, cwd: "/", timeoutMs, maxBytes: 64 * 1024 };
    const { stdout, stderr } = await runCommand(file, [...args, "--version"], options);
    return /\d+\.\d+(?:\.\d+)?(?:[-+.][\w.]+)?/.exec(stdout.toString("utf8") || stderr)?.[0];
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

const INTERPRETER = /^(?:node|nodejs|deno|bun|tsx|python[\d.]*|ruby|perl|php|java|sh|bash|dash|zsh|uv)$/;

/**
 * The arguments of a command that belong to naming its program, so that `--version` asks the program: none, where it is the first
 * word, else its script or module. Undefined where an interpreter would answer for itself.
 */
export function scriptArguments([program = "", ...args]: readonly string[]): string[] | undefined {
  if (!INTERPRETER.test(basename(program))) return [];
  const at = args.findIndex((word) => !/^(?:run|-[uBEIsS]+)$/.test(word));
  const [first = "", second] = args.slice(Math.max(at, 0));
  if (first === "-m" || first === "-jar") return second === undefined ? undefined : args.slice(0, at + 2);
  return at === -1 || first.startsWith("-") ? undefined : args.slice(0, at + 1);
}
