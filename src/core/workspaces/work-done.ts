import type { Checkpoint } from "./checkpoints/checkpoint.ts";
import type { Workspace } from "./checkpoints/workspace.ts";
import { diffBetween } from "./diff.ts";
import { diffStat } from "./diff-parse.ts";

/** What a run's record says of its work: the fields of run-info. */
interface WorkDone {
  branch: string;
  commit: string;
  diff_stat: string;
}

/** From the first checkpoint of a run to its last. */
export async function workDone(workspace: Workspace, first: Checkpoint, last: Checkpoint): Promise<WorkDone> {
  const { branch = "", commit = "" } = last.head;
  const files = first.commit === last.commit ? [] : await diffBetween(workspace, first.commit, last.commit);
  return { branch, commit, diff_stat: diffStat(files) };
}
