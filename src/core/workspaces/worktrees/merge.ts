import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { workspaceDiff } from "../diff.ts";
import { diffStat } from "../diff-parse.ts";
import { otherRepositories } from "../git/add.ts";
import { isAncestor } from "../git/base.ts";
import { combine } from "../git/combine.ts";
import { commitAll, identity } from "../git/commit.ts";
import { at, git, line, ofRepository, plumbing, shown } from "../git/git.ts";
import { commitOf, headOf, type Repository, requireRepository } from "../git/repository.ts";
import { uncommittedFiles } from "./work-left.ts";
import { listedWorktrees } from "./worktree-list.ts";

export interface MergeWishes {
  /** The worktree with the work. */
  worktree: string;
  /** The local branch it goes to. */
  into: string;
  how: "rebase" | "merge" | "ff";
  /** Commit what is uncommitted first, with this message; without it uncommitted work is refused. */
  commitMessage?: string;
  /** Leave conflicts in the worktree, to be resolved there. */
  keepConflicts?: boolean;
}

export interface Merged {
  branch: string;
  into: string;
  /** The tip of both now. */
  commit: string;
  /** How many commits `into` got. */
  commits: number;
  diffStat: string;
  /** Repositories among the files: what they hold is not in it. */
  leftOut: string[];
}

/**
 * Brings a worktree's branch onto another. Everything that can conflict happens in the worktree; the other branch only ever
 * moves forward, at the end, together with the checkout it is in. A dirty checkout of it is refused before anything is done.
 */
export async function mergeTask(wishes: MergeWishes): Promise<Merged> {
  const { worktree, into, how } = wishes;
  const repository = await requireRepository(worktree);
  const branch = requireReady(repository, into);
  const before = await requireBranch(repository, into);
  const checkout = await requireCleanCheckout(repository, into);
  const leftOut = await commitPending(repository, wishes.commitMessage);
  if (how === "ff") await requireForward(repository, branch, into);
  const env = await identity(repository.root);
  const tip = await combine({ root: repository.root, branch, into, how, env, keep: wishes.keepConflicts === true });
  const commits = Number(line(await plumbing(repository.root, ["rev-list", "--count", `${before}..${tip}`])));
  const files = await workspaceDiff(repository.root, { from: before, to: tip });
  await advance(repository, checkout, { into, before, tip, branch });
  return { branch, into, commit: tip, commits, diffStat: diffStat(files), leftOut };
}

/** What an agent is told when its work does not fit. */
export function conflictPrompt(conflicts: readonly string[], how: MergeWishes["how"], into: string): string {
  const go =
    how === "rebase"
      ? "`git add` them and run `git rebase --continue`"
      : "`git add` them and run `git commit --no-edit`";
  return [
    `Your work conflicts with ${into}. A ${how} onto it is in progress in this folder, and these files have conflict markers:`,
    "",
    ...conflicts.map((path) => `- ${path}`),
    "",
    `Resolve them so that both sides' intentions are kept, check that it builds and its tests pass, then ${go} until nothing is left.`,
    "Do not abort it and do not discard the other side's changes.",
  ].join("\n");
}

function requireReady({ root, gitDir, head }: Repository, into: string): string {
  const progress = ["rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD"].find((name) =>
    existsSync(join(gitDir, name)),
  );
  if (progress !== undefined) {
    throw new AppError(
      "workspace.conflict",
      `merge ${root}: a merge or rebase is in progress there; finish it, or abort it with \`git rebase --abort\` or \`git merge --abort\``,
    );
  }
  if (head.branch === undefined)
    throw new AppError("workspace.invalid", `merge ${root}: no branch is checked out there`);
  if (head.branch !== into) return head.branch;
  throw new AppError(
    "workspace.invalid",
    `merge ${root}: ${into} itself is checked out there; name another with --into`,
  );
}

async function requireBranch({ root }: Repository, into: string): Promise<string> {
  const commit = await commitOf(at(root), `refs/heads/${into}`);
  if (commit !== undefined) return commit;
  throw new AppError("workspace.invalid", `merge into ${into}: there is no such local branch; name one with --into`);
}

/** Where the branch is checked out, if anywhere. */
async function requireCleanCheckout({ commonDir }: Repository, into: string): Promise<string | undefined> {
  const listed = (await listedWorktrees(commonDir)).find((each) => each.branch === into);
  if (listed === undefined) return undefined;
  const dirty = await uncommittedFiles(listed.path, "tracked");
  if (dirty.length === 0) return listed.path;
  throw new AppError(
    "workspace.busy",
    `merge into ${into}: it is checked out in ${listed.path} with uncommitted changes; commit or stash them first`,
    { path: listed.path, files: dirty.length },
  );
}

/** Returns what can't be committed: see add.ts. It is in nobody's way. */
async function commitPending({ root }: Repository, message: string | undefined): Promise<string[]> {
  const others = new Set(await otherRepositories(root));
  const all = (await uncommittedFiles(root)).map((path) => path.replace(/\/$/, ""));
  const pending = all.filter((path) => !others.has(path));
  const leftOut = all.filter((path) => others.has(path)).map(shown);
  if (pending.length === 0) return leftOut;
  if (message !== undefined) {
    await commitAll(root, message);
    return leftOut;
  }
  throw new AppError(
    "workspace.busy",
    `merge ${root}: ${pending.length} ${pending.length === 1 ? "file is" : "files are"} not committed; commit them there, or with --message TEXT`,
    { files: pending.length },
  );
}

async function requireForward({ root }: Repository, branch: string, into: string): Promise<void> {
  if (await isAncestor(at(root), `refs/heads/${into}`, `refs/heads/${branch}`)) return;
  throw new AppError(
    "workspace.conflict",
    `merge into ${into}: it has moved on since ${branch} began; rebase or merge`,
  );
}

/** Only forward, and only if nobody else moved it meanwhile. */
async function advance(
  { commonDir }: Repository,
  checkout: string | undefined,
  { into, before, tip, branch }: { into: string; before: string; tip: string; branch: string },
): Promise<void> {
  if (checkout === undefined) {
    const args = ["update-ref", "-m", `cox merge ${branch}`, `refs/heads/${into}`, tip, before];
    await ofRepository(commonDir)(args, { writes: true });
    return;
  }
  await git(checkout, ["merge", "--quiet", "--ff-only", tip], { writes: true });
  const { commit } = await headOf(checkout);
  if (commit !== tip)
    throw new AppError("workspace.conflict", `merge into ${into}: it was moved by somebody else; try again`);
}
