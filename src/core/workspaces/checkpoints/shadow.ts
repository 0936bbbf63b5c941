import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { join, relative, resolve } from "node:path";
import { createHash } from "../../../lib/base/crypto.ts";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import { removeTree } from "../../../lib/files/tree/remove-tree.ts";
import { isWithin } from "../../../lib/files/within.ts";
import { type Git, plumbing } from "../git/git.ts";
import type { Setting } from "../git/git-environment.ts";
import { type Repository } from "../git/repository.ts";

/**
 * A git directory of our own over somebody's files and objects. Its configuration is ours alone and it converts nothing, so
 * looking at files through it runs nothing, takes every byte as it is, and leaves the real index, HEAD and stash untouched.
 * It lies outside of the workspace: there an agent could write a configuration for us.
 */
export interface Shadow {
  git: Git;
  /** What was seen last: with it only changed files are read again. */
  index: string;
}

const FOLDER = "checkpoints";

export const shadowFolder = (home: string, root: string): string =>
  join(resolve(home), FOLDER, createHash("sha256").update(root).digest("hex").slice(0, 24));

export async function openShadow(home: string, repository: Repository): Promise<Shadow> {
  const folder = shadowFolder(home, repository.root);
  const settings = await fileSettings(repository.root);
  for (const name of ["refs", "objects", "info"]) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  writeFileAtomic(join(folder, "HEAD"), "ref: refs/heads/none\n");
  writeFileAtomic(join(folder, "config"), config(repository.objectFormat));
  writeFileAtomic(join(folder, "info", "attributes"), "* -text !eol !crlf !filter !ident !working-tree-encoding\n");
  writeFileAtomic(join(folder, "info", "exclude"), exclude(home, repository));
  writeFileAtomic(join(folder, "root"), repository.root);
  const env = { GIT_DIR: folder, GIT_WORK_TREE: repository.root, GIT_OBJECT_DIRECTORY: repository.objects };
  return {
    index: join(folder, "index"),
    git: (args, options = {}) =>
      plumbing(repository.root, args, { ...options, env: { ...env, ...options.env }, settings }),
  };
}

/** Facts about the file system and the ignore file: the only settings of the repository that hold here. */
async function fileSettings(root: string): Promise<Setting[]> {
  const pattern = "^core\\.(filemode|symlinks|ignorecase|precomposeunicode|excludesfile)$";
  const { stdout } = await plumbing(root, ["config", "-z", "--get-regexp", pattern], { answers: [1] });
  return stdout
    .toString("utf8")
    .split("\0")
    .filter((entry) => entry.includes("\n"))
    .map((entry): Setting => [entry.slice(0, entry.indexOf("\n")), entry.slice(entry.indexOf("\n") + 1)]);
}

function config(objectFormat: string): string {
  if (objectFormat === "sha1") return "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
  return `[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectFormat = ${objectFormat}\n`;
}

function exclude(home: string, { root, commonDir }: Repository): string {
  const theirs = readRegularFile(join(commonDir, "info", "exclude"));
  const state = resolve(home);
  if (!isWithin(state, root)) return theirs;
  const path = relative(root, state).replace(/[\\*?[]/g, "\\$&");
  return `${theirs}\n/${path}/\n`;
}

const MAX_EXCLUDE_BYTES = 1024 * 1024;

/** "" for anything else: a pipe in its place would make us wait for ever. */
function readRegularFile(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return "";
  }
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size <= MAX_EXCLUDE_BYTES ? readFileSync(fd, "utf8") : "";
  } finally {
    closeSync(fd);
  }
}

/**
 * With a run's checkpoints go, at git's next clean-up, the objects that only they led to. An index that still names them would
 * pass for the truth: files are read anew.
 */
export const forgetSeen = (home: string, root: string): void =>
  rmSync(join(shadowFolder(home, root), "index"), { force: true });

/** Of folders that are no more. */
export function forgetGoneShadows(home: string): void {
  const all = join(resolve(home), FOLDER);
  for (const name of existsSync(all) ? readdirSync(all) : []) {
    const root = readRegularFile(join(all, name, "root"));
    if (root !== "" && !existsSync(root)) removeTree(join(all, name));
  }
}
