import { workspaceDiff } from "../diff.ts";
import type { FileChange } from "../diff-parse.ts";
import { line, plumbing } from "../git/git.ts";
import type { WorktreeRecord } from "./worktree-record.ts";

/** What a worktree has and its base has not, committed or not: what a merge would bring. */
export async function worktreeFiles({ path, base_branch, base_commit }: WorktreeRecord): Promise<FileChange[]> {
  const fork = ["merge-base", `refs/heads/${base_branch}`, "HEAD"];
  // Without such a branch, or without anything in common with it, there is still where it began.
  const shared = base_branch === "" ? "" : line(await plumbing(path, fork, { answers: [1, 128] }));
  return workspaceDiff(path, { from: shared || base_commit, patches: true });
}
