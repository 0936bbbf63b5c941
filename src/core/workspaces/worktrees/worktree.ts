import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { isBranchName, resolveBase } from "../git/base.ts";
import { at, git, ofRepository } from "../git/git.ts";
import { commitOf, type Repository, requireRepository } from "../git/repository.ts";
import { type CopyPatterns, copyIgnored, copyPatterns } from "./copy-ignored.ts";
import { runScript, type Script, type ScriptResult } from "./script.ts";
import { listedWorktrees } from "./worktree-list.ts";
import {
  exclusively,
  findWorktree,
  type WorktreePlace,
  type WorktreeRecord,
  worktreePlace,
  writeRecord,
} from "./worktree-record.ts";

export interface WorktreeWishes {
  /** A folder in the repository to work on. */
  repository: string;
  /** COX_HOME. */
  home: string;
  project: string;
  task: string;
  /** A branch or commit; what is checked out, if missing. */
  base?: string;
  branchPrefix?: string;
  /** Ignored files to take along, such as `.env`. */
  copy?: readonly string[];
  setup?: Script;
  /** What the set-up script prints. */
  onOutput?: (chunk: Buffer) => void;
  signal?: AbortSignal;
  now?: () => number;
}

export interface Worktree {
  record: WorktreeRecord;
  how: "created" | "recreated" | "found";
  copied: string[];
  /** Missing when no script ran. A code other than 0 is for the caller to judge. */
  setup?: ScriptResult;
  notices: string[];
}

/**
 * A checkout of its own for a task, on a branch of its own; the person's checkout stays as it is, dirty or not. Asking again
 * gives the same one; one whose folder is gone comes back from its branch.
 */
export async function createWorktree(wishes: WorktreeWishes): Promise<Worktree> {
  const repository = await requireRepository(wishes.repository);
  const place = worktreePlace(wishes.home, wishes.project, wishes.task);
  const copy = copyPatterns(wishes.copy ?? []);
  return exclusively(place, async () => {
    const known = findWorktree(wishes.home, wishes.project, wishes.task);
    if (known !== undefined && known.common_dir !== repository.commonDir) throw anotherRepository(known, repository);
    const made = (known && (await comeBack(known, place))) ?? (await begin(wishes, repository, place));
    if (made.record.ready) return { ...made, copied: [] };
    const worktree = await furnish(wishes, repository, made, copy);
    writeRecord(place, worktree.record);
    return worktree;
  });
}

type Made = Pick<Worktree, "record" | "how" | "notices">;

async function begin(wishes: WorktreeWishes, repository: Repository, place: WorktreePlace): Promise<Made> {
  const { root, commonDir } = repository;
  if (existsSync(place.path)) throw inTheWay(place);
  const base = await resolveBase(repository, wishes.base, wishes.signal);
  const branch = await freeBranch(root, `${wishes.branchPrefix ?? "cox/"}${branchWord(wishes.task)}`);
  await git(root, ["worktree", "add", "--quiet", "--no-track", "-b", branch, place.path, base.commit], LONG);
  const record: WorktreeRecord = {
    version: 1,
    project: wishes.project,
    task: wishes.task,
    path: place.path,
    repository: root,
    common_dir: commonDir,
    branch,
    base_branch: base.branch,
    base_commit: base.commit,
    created_at: new Date((wishes.now ?? Date.now)()).toISOString(),
    ready: false,
  };
  writeRecord(place, record);
  return { record, how: "created", notices: base.notices };
}

/** `undefined` when folder and branch are gone: then there is nothing to come back to. */
async function comeBack(record: WorktreeRecord, place: WorktreePlace): Promise<Made | undefined> {
  const { common_dir, branch, path } = record;
  if (existsSync(join(path, ".git"))) return { record, how: "found", notices: [] };
  if (existsSync(path)) throw inTheWay(place);
  const env = { GIT_DIR: common_dir };
  if ((await commitOf(ofRepository(common_dir), `refs/heads/${branch}`)) === undefined) return undefined;
  const other = (await listedWorktrees(common_dir)).find((each) => each.branch === branch && each.path !== path);
  if (other !== undefined) {
    throw new AppError(
      "workspace.conflict",
      `worktree of task ${record.task}: its folder is gone and its branch ${branch} is checked out in ${other.path}; work there, or free the branch`,
    );
  }
  // Forced, because git still knows the folder; never a general prune, which would forget folders on a disk that is only away.
  await git(common_dir, ["worktree", "add", "--quiet", "--force", path, branch], { ...LONG, env });
  const notices = [`its folder was gone; it was made again from branch ${branch}`];
  return { record: { ...record, ready: false }, how: "recreated", notices };
}

async function furnish(
  wishes: WorktreeWishes,
  repository: Repository,
  made: Made,
  copy: CopyPatterns,
): Promise<Worktree> {
  const { path } = made.record;
  const { copied, notices } = await copyIgnored(repository.root, path, copy);
  const worktree: Worktree = { ...made, copied, notices: [...made.notices, ...notices] };
  if (existsSync(join(path, ".gitmodules"))) worktree.notices.push("submodules are not checked out");
  if (wishes.setup === undefined) return ready(worktree);
  const env = scriptEnvironment(made.record);
  const setup = await runScript(wishes.setup, { cwd: path, env, onOutput: wishes.onOutput, signal: wishes.signal });
  if (setup.code === 0) return { ...ready(worktree), setup };
  worktree.notices.push(`the set-up script failed with exit code ${setup.code}`);
  return { ...worktree, setup };
}

const ready = (worktree: Worktree): Worktree => ({ ...worktree, record: { ...worktree.record, ready: true } });

export function scriptEnvironment(record: WorktreeRecord): Record<string, string> {
  return { COX_WORKTREE: record.path, COX_REPOSITORY: record.repository, COX_BRANCH: record.branch };
}

const LONG = { timeoutMs: 10 * 60_000, writes: true };

/** A task may be named what a branch may not. */
function branchWord(task: string): string {
  return task.replace(/\.+$/, "").replace(/\.lock$/, "-lock");
}

async function freeBranch(root: string, wanted: string): Promise<string> {
  if (!(await isBranchName(at(root), wanted))) {
    throw new AppError(
      "config.invalid",
      `branch ${JSON.stringify(wanted)}: git allows no such name; choose another prefix`,
    );
  }
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if ((await commitOf(at(root), `refs/heads/${name}`)) === undefined) return name;
  }
}

function anotherRepository(known: WorktreeRecord, { root }: Repository): AppError {
  return new AppError(
    "workspace.conflict",
    `worktree of task ${known.task}: it belongs to ${known.repository}, not to ${root}; choose another task or project name`,
  );
}

function inTheWay({ path }: WorktreePlace): AppError {
  return new AppError("workspace.conflict", `worktree: ${path} exists and is not a worktree of ours; move it away`);
}
