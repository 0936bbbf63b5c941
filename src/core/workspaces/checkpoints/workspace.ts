import { existsSync, renameSync, rmSync } from "node:fs";
import { randomBytes } from "../../../lib/base/crypto.ts";
import { names, plumbing } from "../git/git.ts";
import { copyIndex, fillIndex } from "../git/index-copy.ts";
import { type Repository, repositoryOf } from "../git/repository.ts";
import { forgetIndex, knownIndex, printOf, realIndex, rememberIndex } from "./known-index.ts";
import { openShadow, type Shadow } from "./shadow.ts";
import { type Snapshot, type SnapshotLimits, snapshot } from "./snapshot.ts";

/** A folder an agent works in, where it belongs to a git repository. */
export interface Workspace {
  repository: Repository;
  shadow: Shadow;
}

/** `undefined` when the folder belongs to no repository: then there are no checkpoints and no undo. `home` is COX_HOME. */
export async function openWorkspace(cwd: string, home: string): Promise<Workspace | undefined> {
  const repository = await repositoryOf(cwd);
  return repository && { repository, shadow: await openShadow(home, repository) };
}

/** The files as they are at this moment, byte for byte, as a tree; nothing refers to it yet. */
export async function presentState({ repository, shadow }: Workspace, limits?: SnapshotLimits): Promise<Snapshot> {
  const index = `${shadow.index}.${randomBytes(6).toString("hex")}`;
  const known = knownIndex(shadow, repository);
  const real = printOf(realIndex(repository));
  try {
    const also = await startIndex(index, known !== undefined, repository, shadow);
    const taken = await snapshot(shadow.git, { root: repository.root, index, also, tree: known?.tree }, limits);
    if (known !== undefined && !taken.changed) return taken;
    const print = printOf(index);
    // Of two that look at the same time the later stays; both are true.
    if (existsSync(index)) renameSync(index, shadow.index);
    if (taken.complete) rememberIndex(shadow, { index: print, real, tree: taken.tree });
    else forgetIndex(shadow);
    return taken;
  } finally {
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}

/** Returns the tracked files that are not in it; where all is known, there are none. */
async function startIndex(
  index: string,
  isKnown: boolean,
  repository: Repository,
  shadow: Shadow,
): Promise<readonly string[]> {
  if (!existsSync(shadow.index)) return fillIndex(repository, shadow.git, index);
  copyIndex(shadow.index, index);
  if (isKnown) return [];
  const [tracked, here] = await Promise.all([
    plumbing(repository.root, ["ls-files", "-z"]).then(names),
    shadow.git(["ls-files", "-z"], { env: { GIT_INDEX_FILE: index } }).then(names),
  ]);
  const there = new Set(here);
  return tracked.filter((name) => !there.has(name));
}
