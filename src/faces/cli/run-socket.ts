import { AppError } from "../../contract/errors.ts";

/**
 * The socket of the run we are in, where it is the only way in: in a sandbox or a container there is no COX_HOME to see.
 * Where there is one, its files are nearer.
 */
export function runSocket({ COX_SOCKET: socket, COX_HOME: home }: NodeJS.ProcessEnv): string | undefined {
  return socket && !home ? socket : undefined;
}

/** What an agent may not ask for is refused, so that nobody believes it was done. */
export function refuseOthers(command: string, values: object, known: readonly string[]): void {
  const stray = Object.entries(values).find(([key, value]) => value !== undefined && !known.includes(key))?.[0];
  if (stray === undefined) return;
  throw new AppError(
    "usage.invalid",
    `cox ${command}: --${stray} can't be used inside this run: it reaches cox through COX_SOCKET alone`,
  );
}

/** An agent that answers its own request, or accepts its own work, has asked nobody. This stops accidents; the fence is the sandbox. */
export function refuseInsideRun(what: string, { COX_RUN_ID: runId }: NodeJS.ProcessEnv): void {
  if (runId === undefined || runId === "") return;
  throw new AppError(
    "command.unsupported",
    `${what}: refused inside run ${runId}: this is for a person to decide, from a terminal outside of it`,
  );
}
