import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { gitFolder, gitHome, gitRepository } from "../../../../test/support/git-repository.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { takeCheckpoint } from "../checkpoints/checkpoint.ts";
import { openWorkspace } from "../checkpoints/workspace.ts";
import { workDone } from "../work-done.ts";
import { parseWorktrees } from "../worktrees/worktree-list.ts";
import { git } from "./git.ts";
import { repositoryOf } from "./repository.ts";

beforeAll(() => {
  gitHome();
});

test("what a folder belongs to", async () => {
  const repository = gitRepository({ "dir/a.txt": "a\n" });
  const root = realpathSync(repository.root);
  const commit = repository.git("rev-parse", "HEAD");
  expect(await repositoryOf(root)).toEqual({
    root,
    gitDir: join(root, ".git"),
    commonDir: join(root, ".git"),
    objects: join(root, ".git/objects"),
    objectFormat: "sha1",
    head: { branch: "main", commit },
  });
  const link = join(temporaryFolder(), "link");
  symlinkSync(join(root, "dir"), link);
  expect((await repositoryOf(link))?.root).toBe(root);

  const linked = join(temporaryFolder(), "linked");
  repository.git("worktree", "add", "-q", "--detach", linked);
  expect(await repositoryOf(linked)).toMatchObject({
    root: realpathSync(linked),
    commonDir: join(root, ".git"),
    head: { branch: undefined, commit },
  });
  expect((await repositoryOf(gitRepository({}).root))?.head).toEqual({ branch: "main", commit: undefined });
});

test("what belongs to none, is missing, or only looks like one", async () => {
  const folder = temporaryFolder();
  expect(await repositoryOf(folder)).toBeUndefined();
  await expect(repositoryOf(join(folder, "gone"))).rejects.toMatchObject({ code: "workspace.invalid" });
  mkdirSync(join(folder, ".git"));
  expect(await repositoryOf(folder)).toBeUndefined();
  mkdirSync(join(folder, ".git/objects"));
  await expect(repositoryOf(folder)).rejects.toMatchObject({ code: "workspace.invalid" });
});

test("git's own words reach the person", async () => {
  const { root } = gitRepository();
  await expect(git(root, ["rev-parse", "--verify", "nothing"])).rejects.toMatchObject({
    code: "workspace.invalid",
    message: "git rev-parse: Needed a single revision",
    details: { exitCode: 128 },
  });
});

test("a repository with SHA-256 has checkpoints too", async () => {
  const repository = gitFolder(join(temporaryFolder(), "new"));
  repository.git("init", "-q", "--object-format=sha256");
  repository.write({ "a.txt": "a\n" });
  const workspace = await openWorkspace(repository.root, temporaryFolder());
  if (workspace === undefined) throw new Error("not a repository");
  const { commit } = await takeCheckpoint(workspace, "20260101-0000000000-0000001-0001", 0);
  expect(commit.length).toBe(64);
  expect(repository.git("show", `${commit}:a.txt`)).toBe("a");
});

test("what a run's record says of its work", async () => {
  const repository = gitRepository({ "a.txt": "1\n" });
  const workspace = await openWorkspace(repository.root, temporaryFolder());
  if (workspace === undefined) throw new Error("not a repository");
  const run = "20260101-0000000000-0000001-0002";
  const first = await takeCheckpoint(workspace, run, 0);
  expect(await workDone(workspace, first, first)).toEqual({
    branch: "main",
    commit: repository.git("rev-parse", "HEAD"),
    diff_stat: "0 files, +0 −0",
  });
  repository.git("checkout", "-q", "-b", "topic");
  repository.commit("one", { "a.txt": "2\n" });
  const commit = repository.commit("two", { "b.txt": "b\n" });
  writeFileSync(join(repository.root, "c.txt"), "uncommitted\n");
  const last = await takeCheckpoint(workspace, run, 1);
  expect(await workDone(workspace, first, last)).toEqual({ branch: "topic", commit, diff_stat: "3 files, +3 −1" });
});

test("the list of worktrees, taken apart", () => {
  const text = [
    "worktree /a b\nHEAD 111\nbranch refs/heads/main\n",
    "worktree /linked\nHEAD 222\nbranch refs/heads/cox/x\nlocked on a stick\n",
    "worktree /loose\nHEAD 333\ndetached\n",
    "worktree /bare.git\nbare\n",
    "",
  ].join("\n");
  expect(parseWorktrees(text)).toEqual([
    { path: "/a b", head: "111", branch: "main", bare: false, locked: false },
    { path: "/linked", head: "222", branch: "cox/x", bare: false, locked: true },
    { path: "/loose", head: "333", bare: false, locked: false },
    { path: "/bare.git", head: "", bare: true, locked: false },
  ]);
});
