import { type Checkpoint, listCheckpoints } from "./checkpoints/checkpoint.ts";
import type { Workspace } from "./checkpoints/workspace.ts";
import { diffBetween } from "./diff.ts";
import { diffStat } from "./diff-parse.ts";
import { line, plumbing } from "./git/git.ts";

/** What a run's record says of its work: the fields of run-info. */
interface WorkDone {
  branch: string;
  commit: string;
  diff_stat: string;
  /** How many commits HEAD got since the run began. */
  commits: number;
}

/** From the first checkpoint of a run to its last. */
export async function workDone(workspace: Workspace, run: string): Promise<WorkDone> {
  const { root } = workspace.repository;
  const turns = (await listCheckpoints(root, run)).filter(({ kind }) => kind === "turn");
  const [first, last] = [turns[0], turns.at(-1)];
  if (first === undefined || last === undefined) return { branch: "", commit: "", diff_stat: "", commits: 0 };
  const files = await diffBetween(workspace, first.commit, last.commit);
  const { branch = "", commit = "" } = last.head;
  return { branch, commit, diff_stat: diffStat(files), commits: await commitsBetween(root, first, last) };
}

async function commitsBetween(root: string, { head: from }: Checkpoint, { head: to }: Checkpoint): Promise<number> {
  if (to.commit === undefined || to.commit === from.commit) return 0;
  const range = from.commit === undefined ? [to.commit] : [to.commit, `^${from.commit}`];
  return Number(line(await plumbing(root, ["rev-list", "--count", ...range])));
}
