import { isAncestor } from "../git/base.ts";
import { type Git, git, line, names } from "../git/git.ts";
import { commitOf } from "../git/repository.ts";

/** What would be lost with a worktree and its branch. */
export interface WorkLeft {
  /** Changed and new files; ignored ones don't count. */
  uncommitted: number;
  /** Commits that no other branch has, here or as last seen on a remote. */
  unmerged: number;
}

export async function uncommittedFiles(checkout: string, which: "all" | "tracked" = "all"): Promise<string[]> {
  const untracked = which === "all" ? "all" : "no";
  const args = ["status", "--porcelain", "-z", "--no-renames", `--untracked-files=${untracked}`];
  return names(await git(checkout, args)).map((entry) => entry.slice(3));
}

/** `tip` is a branch, or HEAD of a detached worktree. */
export async function unmergedCommits(git: Git, branch: string, tip: string, base: string): Promise<number> {
  const commit = await commitOf(git, tip);
  if (commit === undefined) return 0;
  const others = ["--not", `--exclude=${branch}`, "--branches", "--remotes"];
  const count = Number(line(await git(["rev-list", "--count", commit, ...others])));
  if (count === 0 || base === "") return count;
  for (const into of [`refs/heads/${base}`, `refs/remotes/origin/${base}`]) {
    if (await isContained(git, commit, into)) return 0;
  }
  return count;
}

/** Merged as one commit ("squash"), or rebased: not an ancestor, but its whole change is there. */
async function isContained(git: Git, tip: string, into: string): Promise<boolean> {
  const there = await commitOf(git, into);
  if (there === undefined) return false;
  if (await isAncestor(git, tip, there)) return true;
  const fork = line(await git(["merge-base", there, tip], { answers: [1] }));
  if (fork === "") return false;
  if (await allThere(git, there, tip)) return true;
  const made = await git(["commit-tree", `${tip}^{tree}`, "-p", fork], { input: "", env: NOBODY, writes: true });
  return allThere(git, there, line(made));
}

/** By the content of the patches, as `git cherry` compares them. */
async function allThere(git: Git, there: string, tip: string): Promise<boolean> {
  const list = line(await git(["cherry", there, tip]));
  return list.split("\n").every((entry) => entry.startsWith("-"));
}

const NOBODY = {
  GIT_AUTHOR_NAME: "x",
  GIT_AUTHOR_EMAIL: "x",
  GIT_COMMITTER_NAME: "x",
  GIT_COMMITTER_EMAIL: "x",
  GIT_AUTHOR_DATE: "@0 +0000",
  GIT_COMMITTER_DATE: "@0 +0000",
};
