import { AppError } from "../../../contract/errors.ts";
import { revealed } from "../../../lib/text/printable.ts";
import { GITLINK, parseChanges, type RawChange } from "../diff-parse.ts";
import { git, names, nulList, plumbing, shown } from "./git.ts";

/**
 * The only `git add` of ours. It asks each submodule whether it changed, by a git of its own in there, with the settings it
 * finds there, and no option keeps it from that; and a repository that lies among the files it makes a submodule. An agent can
 * leave a repository anywhere, so those that are not plain files of this one are never named to it.
 */
export async function addAll(root: string): Promise<void> {
  const others = (await otherRepositories(root)).map((path) => `:(top,exclude,literal)${path}`);
  await git(root, ["add", "--all", ...FROM_STDIN], { input: nulList([":/", ...others]), writes: true });
}

/** Paths as they are, not patterns. What is or holds another repository is refused. */
export async function addFiles(root: string, paths: readonly string[]): Promise<void> {
  refuse(root, await otherRepositories(root, paths));
  await git(root, ["add", "--all", ...FROM_STDIN], { input: listed(paths), env: LITERAL, writes: true });
}

/** Submodules, and repositories among the files that are none; in these places, or anywhere. Byte strings. */
export async function otherRepositories(root: string, paths: readonly string[] = []): Promise<string[]> {
  const ask = async (...args: string[]) =>
    names(await plumbing(root, ["ls-files", "-z", ...args, "--", ...paths], { env: LITERAL }));
  const [staged, untracked] = await Promise.all([ask("--stage"), ask("--others", "--exclude-standard")]);
  const submodules = staged
    .filter((entry) => entry.startsWith(`${GITLINK} `))
    .map((entry) => entry.slice(entry.indexOf("\t") + 1));
  // Git lists a repository within the repository as one folder.
  const loose = untracked.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
  return [...new Set([...submodules, ...loose])].sort();
}

export async function stagedChanges(
  root: string,
  { paths = [], answers = [] }: { paths?: readonly string[]; answers?: readonly number[] } = {},
): Promise<RawChange[]> {
  const args = ["diff", "--cached", "--raw", "--no-renames", "-z", "--", ...paths];
  return parseChanges((await git(root, args, { env: LITERAL, answers })).stdout).raw;
}

/** Before a commit, whoever staged it: a person's next `git status` would look into it, settings and all. */
export async function requireNoSubmodule(root: string, paths: readonly string[] = []): Promise<void> {
  const changes = await stagedChanges(root, { paths });
  refuse(
    root,
    changes.filter(({ newMode }) => newMode === GITLINK).map(({ path }) => path),
  );
}

function refuse(root: string, others: readonly string[]): void {
  const [first] = others;
  if (first === undefined) return;
  const path = revealed(shown(first));
  throw new AppError(
    "workspace.invalid",
    `commit ${root}: ${path}: is a repository of its own, which cox never puts on a branch; leave it out (staged, take it back: git reset -- ${path}), or commit it yourself`,
    { others: others.map(shown) },
  );
}

export const LITERAL = { GIT_LITERAL_PATHSPECS: "1" };
export const FROM_STDIN = ["--pathspec-from-file=-", "--pathspec-file-nul"];
export const listed = (paths: readonly string[]): Buffer =>
  nulList(paths.map((path) => Buffer.from(path).toString("latin1")));
