import { runName } from "../../contract/ids.ts";
import { readClaims } from "../store/runs/claims.ts";
import { runPaths } from "../store/runs/run-directory.ts";
import { readRunInfo } from "../store/runs/run-info.ts";
import type { PreparedRun } from "./prepare-run.ts";

/** Two agents in one folder overwrite each other's work: people want to know before, not after. */
export function neighboursOf({ home, plan }: PreparedRun): string[] {
  return readClaims(home).flatMap(({ claim }) => {
    const info = claim && readRunInfo(runPaths(claim.dir).info);
    if (info?.status !== "running" || info.cwd !== plan.cwd) return [];
    return [`cox: warning: run ${runName(info)} (${info.agent}) works in the same folder, ${info.cwd}`];
  });
}
