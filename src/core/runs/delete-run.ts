import { existsSync } from "node:fs";
import { AppError, messageOf } from "../../contract/errors.ts";
import { isImported } from "../../contract/runs/imported.ts";
import { removeTree } from "../../lib/files/tree/remove-tree.ts";
import type { Home } from "../store/home.ts";
import { appendLedger } from "../store/ledger/ledger.ts";
import { runPaths } from "../store/runs/run-directory.ts";
import { readRunInfo } from "../store/runs/run-info.ts";
import { deleteCheckpoints } from "../workspaces/checkpoints/checkpoint.ts";
import { forgetSeen } from "../workspaces/checkpoints/shadow.ts";
import { repositoryOf } from "../workspaces/git/repository.ts";
import { findWorktree } from "../workspaces/worktrees/worktree-record.ts";

interface Doomed {
  run_id: string;
  project: string;
  task: string;
  dir: string;
}

/** First what points to it, then the word that it is gone, then the files: a crash leaves something to find again. */
export async function deleteRun(home: Home, run: Doomed, at: string): Promise<string[]> {
  const notices = await forgetCheckpoints(home, run);
  const sayGone = () => appendLedger(home, { type: "gone", run_id: run.run_id, at });
  try {
    sayGone();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "store.full") throw error;
    // Deleting is what makes room. Killed in between, the next one finds a line without a directory, and says it then.
    removeTree(run.dir);
    sayGone();
  }
  removeTree(run.dir);
  return notices;
}

async function forgetCheckpoints(home: Home, { run_id, project, task, dir }: Doomed): Promise<string[]> {
  try {
    const info = readRunInfo(runPaths(dir).info);
    if (info !== undefined && isImported(info)) return []; // it has none
    const places = [info?.cwd, findWorktree(home.root, project, task)?.repository];
    const place = places.find((path) => path !== undefined && existsSync(path));
    const repository = place === undefined ? undefined : await repositoryOf(place);
    if (repository !== undefined && (await deleteCheckpoints(repository.root, run_id)) > 0) {
      forgetSeen(home.root, repository.root);
    }
    return [];
  } catch (error) {
    return [`run ${run_id}: its checkpoints stay: ${messageOf(error)}`];
  }
}
