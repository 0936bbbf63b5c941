import { existsSync, lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { AppError, messageOf } from "../../../contract/errors.ts";
import { removeTree } from "../../../lib/files/tree/remove-tree.ts";
import { shadowFolder } from "../checkpoints/shadow.ts";
import { ofRepository } from "../git/git.ts";
import { commitOf, repositoryOf } from "../git/repository.ts";
import { runScript, type Script } from "./script.ts";
import { uncommittedFiles, unmergedCommits, type WorkLeft } from "./work-left.ts";
import { scriptEnvironment } from "./worktree.ts";
import { listedWorktrees } from "./worktree-list.ts";
import {
  deleteRecord,
  exclusively,
  findWorktree,
  type WorktreePlace,
  type WorktreeRecord,
  worktreePlace,
} from "./worktree-record.ts";

interface RemovalWishes {
  home: string;
  project: string;
  task: string;
  /** Also with work that is nowhere else. */
  force?: boolean;
  teardown?: Script;
  onOutput?: (chunk: Buffer) => void;
  signal?: AbortSignal;
}

export interface Removed {
  record: WorktreeRecord;
  branch: "deleted" | "kept" | "gone";
  notices: string[];
}

/** What would be lost; the folder may be gone already, the branch too. */
export async function workLeftIn(record: WorktreeRecord): Promise<WorkLeft> {
  const { path, branch, base_branch, common_dir } = record;
  const folder = existsSync(join(path, ".git"));
  const uncommitted = folder ? (await uncommittedFiles(path)).length : 0;
  const tips = [`refs/heads/${branch}`];
  // An agent may have left its branch and committed elsewhere.
  const listed = (await listedWorktrees(common_dir)).find((each) => each.path === path);
  if (listed !== undefined && listed.branch !== branch) tips.push(listed.head);
  const counts = await Promise.all(
    tips.map((tip) => unmergedCommits(ofRepository(common_dir), branch, tip, base_branch)),
  );
  return { uncommitted, unmerged: Math.max(...counts) };
}

/**
 * Takes a task's worktree away. The path comes from the names alone and must be, for git, a linked worktree of the recorded
 * repository: a main checkout can't be reached from here. Refuses while there is work that is nowhere else, unless forced.
 */
export async function removeWorktree(wishes: RemovalWishes): Promise<Removed> {
  const place = worktreePlace(wishes.home, wishes.project, wishes.task);
  return exclusively(place, async () => {
    const record = findWorktree(wishes.home, wishes.project, wishes.task);
    if (record === undefined) throw new AppError("workspace.invalid", `task ${wishes.task}: has no worktree`);
    if (!existsSync(record.common_dir)) return removeOrphan(record, place, wishes.force === true);
    await requireOurs(record, place);
    if (!wishes.force) await requireNothingLeft(record);
    const notices = await tearDown(record, wishes);
    removeTree(place.path); // git can't, where folders are nested deeper than a path can name
    // Forced, because we have looked: git's own look would run the filters a worktree's configuration names.
    const remove = ["worktree", "remove", "--force", place.path];
    await ofRepository(record.common_dir)(remove, { writes: true, timeoutMs: 10 * 60_000 });
    const branch = await removeBranch(record);
    forget(wishes.home, record, place);
    return { record, branch, notices };
  });
}

async function requireOurs(record: WorktreeRecord, { path }: WorktreePlace): Promise<void> {
  const refuse = (why: string) =>
    new AppError("workspace.invalid", `remove worktree ${path}: ${why}; nothing was removed`);
  const [main, ...linked] = await listedWorktrees(record.common_dir);
  if (main?.path === path) throw refuse("it is a main checkout");
  const listed = linked.find((each) => each.path === path);
  if (listed === undefined) throw refuse(`it is no worktree of ${record.repository}`);
  if (listed.locked) throw refuse("it is locked; `git worktree unlock` frees it");
  if (!existsSync(path)) return;
  if (realpathSync(path) !== path) throw refuse("a link is in its place");
  if (!lstatSync(join(path, ".git")).isFile()) throw refuse("it is a repository of its own");
}

async function requireNothingLeft(record: WorktreeRecord): Promise<void> {
  const left = await workLeftIn(record);
  if (left.uncommitted + left.unmerged > 0) throw workIsLeft(record, left);
  const own = existsSync(record.path) ? await repositoryOf(record.path) : undefined;
  // What was committed in a submodule lies in there and nowhere else.
  if (own !== undefined && existsSync(join(own.gitDir, "modules"))) {
    throw new AppError(
      "workspace.busy",
      `worktree ${record.path}: has submodules; see that their work is safe, then force`,
    );
  }
}

function workIsLeft({ task, branch, path }: WorktreeRecord, { uncommitted, unmerged }: WorkLeft): AppError {
  const parts = [
    ...(uncommitted > 0 ? [`${uncommitted} uncommitted ${uncommitted === 1 ? "file" : "files"}`] : []),
    ...(unmerged > 0 ? [`${unmerged} unmerged ${unmerged === 1 ? "commit" : "commits"} on ${branch}`] : []),
  ];
  return new AppError(
    "workspace.busy",
    `worktree of task ${task}: ${path} has ${parts.join(" and ")}; merge it with \`cox merge ${task}\`, or force`,
    { uncommitted, unmerged },
  );
}

/** The folder goes whatever its script says. */
async function tearDown(record: WorktreeRecord, { teardown, onOutput, signal }: RemovalWishes): Promise<string[]> {
  if (teardown === undefined || !existsSync(record.path)) return [];
  try {
    const env = scriptEnvironment(record);
    const { code } = await runScript(teardown, { cwd: record.path, env, onOutput, signal });
    return code === 0 ? [] : [`the tear-down script failed with exit code ${code}`];
  } catch (error) {
    signal?.throwIfAborted();
    return [`the tear-down script failed: ${messageOf(error)}`];
  }
}

/** Whatever was only there is merged by now, or was given up by force. */
async function removeBranch({ common_dir, branch }: WorktreeRecord): Promise<Removed["branch"]> {
  if ((await commitOf(ofRepository(common_dir), `refs/heads/${branch}`)) === undefined) return "gone";
  const elsewhere = (await listedWorktrees(common_dir)).some((each) => each.branch === branch);
  if (elsewhere) return "kept";
  await ofRepository(common_dir)(["branch", "--quiet", "-D", "--", branch], { writes: true });
  return "deleted";
}

/** Its repository is no more, so git can't help and nothing can be merged. */
function removeOrphan(record: WorktreeRecord, place: WorktreePlace, force: boolean): Removed {
  const { path } = place;
  if (!force) {
    throw new AppError(
      "workspace.busy",
      `worktree ${path}: its repository ${record.repository} is gone; look whether you need its files, then force`,
    );
  }
  const isOurs = !existsSync(path) || (realpathSync(path) === path && !existsSync(join(path, ".git", "HEAD")));
  if (!isOurs) throw new AppError("workspace.invalid", `remove worktree ${path}: it is a repository of its own`);
  removeTree(path);
  deleteRecord(place);
  return { record, branch: "gone", notices: [] };
}

function forget(home: string, record: WorktreeRecord, place: WorktreePlace): void {
  removeTree(shadowFolder(home, record.path));
  deleteRecord(place);
}
