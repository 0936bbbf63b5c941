import { AppError } from "../../contract/errors.ts";
import type { Context } from "../../lib/command/command.ts";
import { runCommand } from "../../lib/process/command.ts";
import type { RunPlugin } from "./exec-credential.ts";

/** Runs the program a kubeconfig names for its credentials. What it printed to stderr says why it failed. */
export function runCredentialPlugin({ cwd }: Pick<Context, "cwd">): RunPlugin {
  return async (command, args, env) => {
    const result = await runCommand(command, args, { cwd, env, timeoutMs: 60_000, maxBytes: 1024 * 1024 });
    if (result.code === 0) return result.stdout.toString("utf8");
    throw new AppError(
      "cluster.config",
      `kubeconfig: credential plugin ${command}: ${result.stderr.trim() || "failed"}`,
    );
  };
}
