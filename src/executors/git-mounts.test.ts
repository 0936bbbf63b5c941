import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { gitMounts } from "./git-mounts.ts";

const git = (cwd: string, ...args: string[]) => execFileSync("git", ["-C", cwd, ...args]).toString();

function repository(): string {
  const folder = realpathSync(temporaryFolder());
  git(folder, "init", "-q", "main");
  git(join(folder, "main"), "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one");
  return folder;
}

const words = (workspace: string) =>
  gitMounts(workspace).map(({ source, target, write }) => {
    expect(source).toBe(target);
    return `${target}${write ? " rw" : ""}`;
  });

test("a repository is writable, but for what git would run", () => {
  const main = join(repository(), "main");
  expect(words(main)).toEqual([`${main}/.git rw`, `${main}/.git/config`, `${main}/.git/hooks`]);
});

test("a worktree gets the repository it belongs to", () => {
  const folder = repository();
  const common = join(folder, "main/.git");
  git(join(folder, "main"), "worktree", "add", "-q", "../side");
  const shown = [`${common} rw`, `${common}/config`, `${common}/hooks`];
  expect(words(join(folder, "side"))).toEqual([`${folder}/side/.git`, ...shown]);
});

test("a folder without git needs nothing", () => {
  expect(words(temporaryFolder())).toEqual([]);
});

test("a file that claims to belong to somebody's folder is not believed", () => {
  const folder = repository();
  git(join(folder, "main"), "worktree", "add", "-q", "../side");
  const evil = join(folder, "evil");
  mkdirSync(evil);
  // The worktree's own file, in another place: the repository knows nothing of it.
  writeFileSync(join(evil, ".git"), readFileSync(join(folder, "side/.git")));
  expect(words(evil)).toEqual([]);
  mkdirSync(join(folder, "secrets"));
  writeFileSync(join(evil, ".git"), `gitdir: ${folder}/secrets\n`);
  expect(words(evil)).toEqual([]);
  // Even one that points back, without a repository around it.
  writeFileSync(join(folder, "secrets/gitdir"), `${evil}/.git\n`);
  writeFileSync(join(folder, "secrets/commondir"), ".\n");
  expect(words(evil)).toEqual([]);
});

test("a worktree whose repository is gone needs nothing", () => {
  const folder = repository();
  git(join(folder, "main"), "worktree", "add", "-q", "../side");
  rmSync(join(folder, "main"), { recursive: true });
  expect(words(join(folder, "side"))).toEqual([]);
});
