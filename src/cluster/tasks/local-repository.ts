import { createHash } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import { slug } from "../../contract/ids.ts";
import { API_VERSION } from "../../contract/resources/names.ts";
import type { Workspace } from "../../contract/resources/workspace.ts";
import { at, line } from "../../core/workspaces/git/git.ts";
import { commitOf, repositoryOf } from "../../core/workspaces/git/repository.ts";
import { uncommittedFiles } from "../../core/workspaces/worktrees/work-left.ts";

/** What a pod has to check out to stand where this folder stands. */
export interface LocalRepository {
  repo: string;
  /** The branch where it is the same there, else the commit. */
  ref: string;
  hasChanges: boolean;
}

/** `undefined` outside a repository. A commit that only this machine has is refused: no pod could get it. */
export async function localRepository(folder: string): Promise<LocalRepository | undefined> {
  const repository = await repositoryOf(folder);
  if (repository === undefined) return undefined;
  const git = at(repository.root);
  const url = line(await git(["config", "--get", "remote.origin.url"], { answers: [1] }));
  const { branch, commit } = repository.head;
  const fail = (why: string) => new AppError("workspace.invalid", `${repository.root}: ${why}`);
  if (url === "") throw fail("has no remote called origin, so no pod can get it; add one, and push");
  if (commit === undefined) throw fail("has no commit yet; commit and push something first");
  const there = line(await git(["for-each-ref", "--contains", commit, "--format=%(refname)", "refs/remotes/origin"]));
  if (there === "") throw fail(`origin doesn't have commit ${commit.slice(0, 8)} yet; push it first`);
  const tip = branch === undefined ? undefined : await commitOf(git, `refs/remotes/origin/${branch}`);
  const changes = await uncommittedFiles(repository.root, "tracked");
  return {
    repo: withoutPassword(url),
    ref: branch !== undefined && tip === commit ? branch : commit,
    hasChanges: changes.length > 0,
  };
}

/** Whoever can read a Workspace would read it too. */
export const withoutPassword = (url: string): string => url.replace(/^(https?:\/\/)[^/@]*@/, "$1");

/** The same repository at the same place is the same Workspace, whoever asks for it. */
export function workspaceFor({ repo, ref }: LocalRepository, namespace: string, secret: string | undefined): Workspace {
  const base = slug(
    repo
      .replace(/\/+$/, "")
      .replace(/\.git$/, "")
      .split(/[/:]/)
      .at(-1) ?? "",
    40,
  );
  const mark = createHash("sha256")
    .update(`${repo}\0${ref}\0${secret ?? ""}`)
    .digest("hex")
    .slice(0, 8);
  const spec = { repo, ref, depth: 1, ...(secret === undefined ? {} : { secretRef: { name: secret } }) };
  return { apiVersion: API_VERSION, kind: "Workspace", metadata: { name: `${base}-${mark}`, namespace }, spec };
}
