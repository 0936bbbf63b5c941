import { AppError } from "../../../contract/errors.ts";
import { isRunId, shorten } from "../../../contract/ids.ts";
import type { RunSummary } from "../../../contract/runs/run.ts";
import { type Home, runFolder } from "../home.ts";
import { runsBackward } from "./ledger.ts";
import { type RunPaths, runPaths } from "./run-directory.ts";

export interface FoundRun extends RunSummary {
  paths: RunPaths;
}

/** A run by its id, by the beginning or end of its id where that is unique, or the `latest`. */
export function findRun(home: Home, name: string): FoundRun {
  const matches: RunSummary[] = [];
  for (const run of runsBackward(home)) {
    if (name === "latest" || run.run_id === name) return found(home, run);
    if (!isRunId(name) && (run.run_id.startsWith(name) || run.run_id.endsWith(name))) matches.push(run);
  }
  const [only, other] = matches;
  if (only === undefined || name === "") throw notFound(name);
  if (other === undefined) return found(home, only);
  const some = matches.slice(0, 5).map((run) => run.run_id);
  throw new AppError(
    "run.ambiguous",
    `run ${name}: fits ${matches.length} runs (${some.join(", ")}, …); give more of the id`,
  );
}

function found(home: Home, run: RunSummary): FoundRun {
  return { ...run, paths: runPaths(runFolder(home, run.project, run.task, run.run_id)) };
}

function notFound(name: string): AppError {
  const what = name === "latest" ? "there is no run yet" : `run ${shorten(name)}: there is no such run`;
  return new AppError("run.not_found", `${what}; \`cox ls\` lists them`);
}
