import { isRunId } from "../ids.ts";

/** What a run's agent shows to a server of this home. Nobody keeps a list of them: the run's claim has the secret's hash. */
export const runToken = (runId: string, secret: string): string => `${runId}.${secret}`;

export function parseRunToken(token: string): { runId: string; secret: string } | undefined {
  const [runId = "", secret, ...rest] = token.split(".");
  return !isRunId(runId) || secret === undefined || rest.length > 0 ? undefined : { runId, secret };
}
