import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { gitFolder, gitHome, gitRepository } from "../../../../test/support/git-repository.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { takeCheckpoint } from "../checkpoints/checkpoint.ts";
import { undo } from "../checkpoints/undo.ts";
import { openWorkspace } from "../checkpoints/workspace.ts";
import { workspaceDiff } from "../diff.ts";
import { commitFiles, discardFiles, stagedFiles, stageFiles } from "../stage.ts";
import { mergeTask } from "../worktrees/merge.ts";
import { uncommittedFiles } from "../worktrees/work-left.ts";
import { createWorktree } from "../worktrees/worktree.ts";
import { removeWorktree } from "../worktrees/worktree-remove.ts";
import { commitAll } from "./commit.ts";

const RUN = "20260101-0000000000-0000001-0001";
beforeAll(() => {
  gitHome();
});

/** A repository as an agent leaves it among the files: whoever looks whether it changed runs its filter. */
function trap(root: string, path: string): { ran: () => boolean; head: string } {
  const mark = join(temporaryFolder(), "ran");
  const evil = join(temporaryFolder(), "evil");
  writeFileSync(evil, `#!/bin/sh\ntouch '${mark}'\ncat\n`);
  chmodSync(evil, 0o755);
  const inner = gitFolder(join(root, path));
  inner.git("init", "-q");
  const head = inner.commit(mark, { "f.txt": "1\n" });
  inner.git("config", "filter.e.clean", evil);
  inner.git("config", "core.fsmonitor", evil);
  mkdirSync(join(root, path, ".git/info"), { recursive: true });
  writeFileSync(join(root, path, ".git/info/attributes"), "* filter=e\n");
  inner.write({ "f.txt": "2\n" });
  rmSync(mark, { force: true });
  return { ran: () => existsSync(mark), head };
}

const gitlinks = (git: (...args: string[]) => string, tree = "HEAD") =>
  git("ls-tree", "-r", tree)
    .split("\n")
    .filter((line) => line.startsWith("160000 "));

/** A submodule of the person's that is in their history, with the agent's repository in its place. */
function withSubmodule() {
  const repository = gitRepository({
    "a.txt": "1\n",
    ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = /x\n\tignore = none\n',
  });
  const { ran, head } = trap(repository.root, "x");
  repository.git("update-index", "--add", "--cacheinfo", `160000,${head},x`);
  repository.git("commit", "-q", "-m", "submodule");
  return { ...repository, ran };
}

test("the trap works: git alone runs into it", () => {
  const { git, ran } = withSubmodule();
  expect(ran()).toBe(false);
  git("add", "--all");
  expect(ran()).toBe(true);
});

describe("a repository that an agent left among the files", () => {
  test("is left out of a merge, twice, and that is said", async () => {
    const { root, git } = gitRepository();
    const names = { home: temporaryFolder(), project: "p", task: "t" };
    const { path } = (await createWorktree({ ...names, repository: root })).record;
    const { ran } = trap(path, "x");
    for (const text of ["1\n", "2\n"]) {
      writeFileSync(join(path, "work.txt"), text);
      const merged = await mergeTask({ worktree: path, into: "main", how: "rebase", commitMessage: "work" });
      expect(merged).toMatchObject({ commits: 1, leftOut: ["x"] });
    }
    expect(git("show", "main:work.txt")).toBe("2");
    expect(gitlinks(git, "main")).toEqual([]);
    expect(ran()).toBe(false);
    // With nothing else to commit it is in nobody's way.
    const again = await mergeTask({ worktree: path, into: "main", how: "rebase" });
    expect(again).toMatchObject({ commits: 0, leftOut: ["x"] });
  });

  test("is left out without a commit of its own, or in a folder, or under a name that is a pattern", async () => {
    const { root, git, write } = gitRepository();
    gitFolder(join(root, "empty")).git("init", "-q");
    trap(root, "deep/*");
    write({ "deep/file": "x\n", ":(top)": "y\n" });
    await commitAll(root, "all");
    expect(git("ls-tree", "-r", "--name-only", "HEAD").split("\n")).toEqual([":(top)", "deep/file", "readme.md"]);
  });

  test("is not staged by name, nor with the folder that it is in", async () => {
    const { root } = gitRepository();
    trap(root, "deep/x");
    for (const path of ["deep/x", "deep/x/", "deep", ".", "deep/./x"]) {
      await expect(stageFiles(root, [path], true)).rejects.toThrow("deep/x: is a repository of its own");
      await expect(commitFiles(root, "x", [path])).rejects.toMatchObject({ code: "workspace.invalid" });
    }
    expect([...(await stagedFiles(root))]).toEqual([]);
  });

  test("is not committed when somebody staged it", async () => {
    const { root, git, write } = gitRepository();
    trap(root, "x");
    git("add", "x");
    write({ "a.txt": "1\n" });
    const refused = { code: "workspace.invalid", message: expect.stringContaining("git reset -- x") as string };
    await expect(commitFiles(root, "staged", undefined)).rejects.toMatchObject(refused);
    await expect(commitAll(root, "all")).rejects.toMatchObject(refused);
    expect(gitlinks(git)).toEqual([]);
    await commitFiles(root, "other", ["a.txt"]);
    expect(gitlinks(git)).toEqual([]);
  });

  test("is not committed when somebody staged it before the first commit", async () => {
    const { root, git } = gitRepository({});
    trap(root, "x");
    git("add", "x");
    await expect(commitAll(root, "first")).rejects.toThrow("x: is a repository of its own");
  });
});

test("nothing that we do looks into the place of a submodule", async () => {
  const { root, git, write, ran } = withSubmodule();
  const workspace = await openWorkspace(root, temporaryFolder());
  if (workspace === undefined) throw new Error("not a repository");
  write({ "a.txt": "2\n", "new.txt": "n\n" });
  await takeCheckpoint(workspace, RUN, 0);
  await workspaceDiff(root, { patches: true });
  expect((await uncommittedFiles(root)).sort()).toEqual(["a.txt", "new.txt"]);
  await stageFiles(root, ["a.txt"], true);
  await stageFiles(root, ["a.txt"], false);
  await stageFiles(root, ["a.txt"], true);
  await commitFiles(root, "staged", undefined);
  await discardFiles(workspace, RUN, ["new.txt"]);
  await undo(workspace, RUN, { to: "redo" });
  await commitFiles(root, "named", ["new.txt"]);
  for (const path of ["x", "x/", "."]) {
    await expect(stageFiles(root, [path], true)).rejects.toThrow("x: is a repository of its own");
  }
  const links = gitlinks(git);
  gitFolder(join(root, "x")).git("-c", "filter.e.clean=cat", "-c", "core.fsmonitor=", "commit", "-qam", "moved");
  write({ "a.txt": "3\n", "x/f.txt": "3\n" });
  expect(ran()).toBe(false);
  await commitAll(root, "all");
  expect(await uncommittedFiles(root)).toEqual(["x"]);
  expect(gitlinks(git)).toEqual(links);
  expect(ran()).toBe(false);
});

test.each(["rebase", "merge"] as const)("nor does a %s, with the agent's repository in both checkouts", async (how) => {
  const { root, write, ran } = withSubmodule();
  const names = { home: temporaryFolder(), project: "p", task: "t" };
  const { path } = (await createWorktree({ ...names, repository: root })).record;
  const theirs = trap(path, "x");
  writeFileSync(join(path, "work.txt"), "1\n");
  write({ "a.txt": "2\n" });
  await commitAll(root, "meanwhile");
  const wishes = { worktree: path, into: "main", how };
  expect(await mergeTask({ ...wishes, commitMessage: "work" })).toMatchObject({ leftOut: ["x"] });
  writeFileSync(join(path, "a.txt"), "theirs\n");
  write({ "a.txt": "ours\n" });
  await commitAll(root, "ours");
  await expect(mergeTask({ ...wishes, commitMessage: "theirs" })).rejects.toMatchObject({ code: "workspace.conflict" });
  await removeWorktree({ ...names, force: true });
  expect([ran(), theirs.ran()]).toEqual([false, false]);
});
