import { AppError } from "../../../contract/errors.ts";
import { handleIn, isRunId, runName, shorten } from "../../../contract/ids.ts";
import type { RunSummary } from "../../../contract/runs/run.ts";
import { findTask, listTasks } from "../find-task.ts";
import { type Home, runFolder } from "../home.ts";
import { runsBackward } from "../ledger/ledger.ts";
import { runOfHandle } from "./handles.ts";
import { type RunPaths, runPaths } from "./run-directory.ts";

export interface FoundRun extends RunSummary {
  paths: RunPaths;
}

/**
 * A run by what people call it: its number `r12`, `latest`, its id, the beginning or end of its id where that is unique, or its
 * task, of which it is the newest run.
 */
export function findRun(home: Home, name: string): FoundRun {
  const number = handleIn(name);
  if (number !== undefined) return byHandle(home, name, number);
  if (isRunId(name)) return newest(home, name, ({ run_id }) => run_id === name);
  if (name === "latest") return newest(home, name, () => true);
  return PART_OF_ID.test(name) && !isTask(home, name) ? byPart(home, name) : byTask(home, name);
}

/** What people call the run with this id; the id itself, where nothing is known of it. */
export function nameOfRun(home: Home, runId: string): string {
  for (const run of runsBackward(home)) if (run.run_id === runId) return runName(run);
  return runId;
}

const PART_OF_ID = /^[\d-]+$/;

/** What is exactly a task's name is no part of an id, even if it has only digits. */
const isTask = (home: Home, name: string) => listTasks(home).some(({ task }) => task === name);

function newest(home: Home, name: string, fits: (run: RunSummary) => boolean): FoundRun {
  for (const run of runsBackward(home)) if (fits(run)) return found(home, run);
  const what = name === "latest" ? "there is no run yet" : `run ${name}: there is no such run`;
  throw new AppError("run.not_found", `${what}; \`cox ls\` lists them`);
}

/** Its number stays when the run is deleted. */
function byHandle(home: Home, name: string, number: number): FoundRun {
  const runId = runOfHandle(home, number);
  return newest(home, name, ({ run_id }) => run_id === runId);
}

function byPart(home: Home, name: string): FoundRun {
  const fits = ({ run_id }: RunSummary) => run_id.startsWith(name) || run_id.endsWith(name);
  const matches = [...runsBackward(home)].filter(fits);
  if (matches.length <= 1) return newest(home, name, fits);
  const some = matches.slice(0, 5).map(runName);
  const more = matches.length > some.length ? ", …" : "";
  throw new AppError(
    "run.ambiguous",
    `run ${shorten(name)}: fits ${matches.length} runs (${some.join(", ")}${more}); give more of the id, or say which`,
  );
}

function byTask(home: Home, name: string): FoundRun {
  const { project, task } = taskNamed(home, name);
  for (const run of runsBackward(home)) if (run.project === project && run.task === task) return found(home, run);
  throw new AppError(
    "run.not_found",
    `task ${project}/${task}: has no run yet; start it with \`cox task start ${project}/${task}\``,
  );
}

function taskNamed(home: Home, name: string) {
  try {
    return findTask(home, name);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "task.not_found") throw error;
    const what = name === "" ? "run" : `run ${shorten(name)}`;
    throw new AppError("run.not_found", `${what}: there is no such run or task; \`cox ls\` lists them`);
  }
}

function found(home: Home, run: RunSummary): FoundRun {
  return { ...run, paths: runPaths(runFolder(home, run.project, run.task, run.run_id)) };
}
