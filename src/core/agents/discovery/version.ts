import { AppError } from "../../../contract/errors.ts";
import { runCommand } from "../../../lib/process/command.ts";

const LIMIT_MS = 5000;

/** What `--version` says, or undefined when it says nothing in time. */
export async function versionOf(
  file: string,
  env: Readonly<Record<string, string>>,
  timeoutMs = LIMIT_MS,
): Promise<string | undefined> {
  try {
    const options = { env, cwd: "/", timeoutMs, maxBytes: 64 * 1024 };
    const { stdout, stderr } = await runCommand(file, ["--version"], options);
    return /\d+\.\d+(?:\.\d+)?(?:[-+.][\w.]+)?/.exec(stdout.toString("utf8") || stderr)?.[0];
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
