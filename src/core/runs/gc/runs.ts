import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isRunId } from "../../../contract/ids.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import { bytesOnDisk } from "../../../lib/files/tree/walk-tree.ts";
import { listTasks } from "../../store/find-task.ts";
import { type Home, runFolder, taskFolder } from "../../store/home.ts";
import { goneRuns, runsBackward } from "../../store/ledger/ledger.ts";
import { readClaims } from "../../store/runs/claims.ts";
import { DELETED_TASK } from "../../tasks/change.ts";
import type { FinishedRun } from "./plan.ts";

export interface StoredRun extends FinishedRun {
  dir: string;
  /** Nothing but its line in the ledger is left. */
  missing: boolean;
}

/** All runs that nobody hosts. A claim, whoever's, means that a run may be live. */
export function finishedRuns(home: Home): StoredRun[] {
  const live = new Set(readClaims(home).map(({ runId }) => runId));
  const runs: StoredRun[] = [];
  for (const { run_id, project, task, at, end } of runsBackward(home)) {
    if (live.has(run_id)) continue;
    const dir = runFolder(home, project, task, run_id);
    const bytes = bytesOnDisk(dir);
    runs.push({
      run_id,
      project,
      task,
      dir,
      endedAt: Date.parse(end?.at ?? at),
      bytes: bytes ?? 0,
      missing: bytes === undefined,
    });
  }
  return runs;
}

/** Directories of runs and tasks whose deletion was begun and cut off. */
export function leftovers(home: Home): string[] {
  const projects = join(home.root, "projects");
  const tasks = namesIn(projects).flatMap((project) =>
    namesIn(join(projects, project))
      .filter((name) => name.startsWith(DELETED_TASK))
      .map((name) => join(projects, project, name)),
  );
  const gone = goneRuns(home);
  if (gone.size === 0) return tasks;
  const runs = listTasks(home).flatMap(({ project, task }) => {
    const runs = join(taskFolder(home, project, task), "runs");
    return namesIn(runs)
      .filter((name) => isRunId(name) && gone.has(name))
      .map((name) => join(runs, name));
  });
  return [...tasks, ...runs];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return [];
    throw error;
  }
}
