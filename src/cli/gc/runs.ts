import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { diskError, errnoOf } from "../../base/disk-error.ts";
import { messageOf } from "../../contract/errors.ts";
import { isRunId } from "../../contract/ids.ts";
import { readClaims } from "../../store/claims.ts";
import { type Home, runFolder, taskFolder } from "../../store/home.ts";
import { appendLedger, goneRuns, runsBackward } from "../../store/ledger.ts";
import { runPaths } from "../../store/run-directory.ts";
import { readRunInfo } from "../../store/run-info.ts";
import { listTasks } from "../../tasks/task.ts";
import { deleteCheckpoints } from "../../workspaces/checkpoint.ts";
import { repositoryOf } from "../../workspaces/repository.ts";
import { findWorktree } from "../../workspaces/worktree-record.ts";
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
    const bytes = bytesIn(dir);
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

/** First what points to it, then the word that it is gone, then the files: a crash leaves something to find again. */
export async function deleteRun(home: Home, run: StoredRun, at: string): Promise<string[]> {
  const notices = await forgetCheckpoints(home, run);
  appendLedger(home, { type: "gone", run_id: run.run_id, at });
  removeFolder(run.dir);
  return notices;
}

async function forgetCheckpoints(home: Home, { run_id, project, task, dir }: StoredRun): Promise<string[]> {
  try {
    const info = readRunInfo(runPaths(dir).info);
    const places = [info?.cwd, findWorktree(home.root, project, task)?.repository];
    const place = places.find((path) => path !== undefined && existsSync(path));
    const repository = place === undefined ? undefined : await repositoryOf(place);
    if (repository !== undefined) await deleteCheckpoints(repository.root, run_id);
    return [];
  } catch (error) {
    return [`run ${run_id}: its checkpoints stay: ${messageOf(error)}`];
  }
}

/** Directories of runs whose deletion was begun and cut off. */
export function leftovers(home: Home): string[] {
  const gone = goneRuns(home);
  if (gone.size === 0) return [];
  return listTasks(home).flatMap(({ project, task }) => {
    const runs = join(taskFolder(home, project, task), "runs");
    return namesIn(runs)
      .filter((name) => isRunId(name) && gone.has(name))
      .map((name) => join(runs, name));
  });
}

export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    throw diskError("delete a run's directory", path, error);
  }
}

/** Links are not followed. `undefined` when there is nothing. */
export function bytesIn(path: string): number | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (!stat.isDirectory()) return stat.size;
  return namesIn(path).reduce((sum, name) => sum + (bytesIn(join(path, name)) ?? 0), 0);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return [];
    throw error;
  }
}
