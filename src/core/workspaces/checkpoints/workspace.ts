import { randomBytes } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { names, plumbing } from "../git/git.ts";
import { copyIndex, fillIndex } from "../git/index-copy.ts";
import { type Repository, repositoryOf } from "../git/repository.ts";
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
  try {
    if (existsSync(shadow.index)) copyIndex(shadow.index, index);
    else await fillIndex(repository, shadow.git, index);
    const tracked = names(await plumbing(repository.root, ["ls-files", "-z"]));
    const taken = await snapshot(shadow.git, { root: repository.root, index, tracked }, limits);
    // Of two that look at the same time the later stays; both are true.
    if (existsSync(index)) renameSync(index, shadow.index);
    return taken;
  } finally {
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}
