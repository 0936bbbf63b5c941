import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type GitRepository, gitFolder, gitHome, gitRepository } from "../../../../test/support/git-repository.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createWorktree, type WorktreeWishes } from "./worktree.ts";
import { listWorktrees } from "./worktree-record.ts";
import { removeWorktree } from "./worktree-remove.ts";

beforeAll(() => {
  gitHome();
});

function setUp(files?: Readonly<Record<string, string>>) {
  const repository = gitRepository(files);
  const home = realpathSync(temporaryFolder());
  const names = { home, project: "project", task: "fix-it" };
  const create = (wishes: Partial<WorktreeWishes> = {}) =>
    createWorktree({ ...names, repository: repository.root, ...wishes });
  const remove = (wishes: { force?: boolean } = {}) => removeWorktree({ ...names, ...wishes });
  return { repository, home, create, remove, names };
}

describe("removeWorktree", () => {
  test("takes folder, branch and record away when nothing would be lost", async () => {
    const { repository, home, create, remove } = setUp({ ".gitignore": ".env\n" });
    repository.write({ ".env": "x" });
    const { record } = await create({ copy: [".env"] });
    expect((await remove()).branch).toBe("deleted");
    expect(existsSync(record.path)).toBe(false);
    expect(repository.git("branch", "--list", "cox/*")).toBe("");
    expect(repository.git("worktree", "list").split("\n").length).toBe(1);
    expect(listWorktrees(home)).toEqual([]);
    await expect(remove()).rejects.toMatchObject({ code: "workspace.invalid" });
  });

  test("refuses with uncommitted or unmerged work, unless forced", async () => {
    const { repository, create, remove } = setUp();
    const { record } = await create();
    const tree = gitFolder(record.path);
    tree.write({ "new.txt": "x" });
    await expect(remove()).rejects.toMatchObject({ code: "workspace.busy", details: { uncommitted: 1, unmerged: 0 } });
    tree.commit("work");
    await expect(remove()).rejects.toMatchObject({ code: "workspace.busy", details: { uncommitted: 0, unmerged: 1 } });
    tree.git("checkout", "-q", "--detach");
    tree.commit("detached work", { "more.txt": "x" });
    repository.git("branch", "-f", "cox/fix-it", "main");
    await expect(remove()).rejects.toMatchObject({ code: "workspace.busy", details: { unmerged: 2 } });
    expect(existsSync(join(record.path, "new.txt"))).toBe(true);
    expect((await remove({ force: true })).branch).toBe("deleted");
    expect(existsSync(record.path)).toBe(false);
  });

  test("merged is merged: by merge, by rebase, as one commit, or safe on a remote", async () => {
    const merges: Record<string, (repository: GitRepository, tree: GitRepository) => void> = {
      merge: (repository) => repository.git("merge", "-q", "--no-ff", "--no-edit", "cox/fix-it"),
      rebase: (repository) => {
        repository.commit("between", { "other.txt": "x" });
        repository.git("cherry-pick", "main~1..cox/fix-it");
      },
      squash: (repository) => {
        repository.commit("between", { "other.txt": "x" });
        repository.git("merge", "-q", "--squash", "cox/fix-it");
        repository.git("commit", "-q", "-m", "squashed");
      },
      push: (repository, tree) => {
        const remote = join(temporaryFolder(), "remote.git");
        repository.git("init", "-q", "--bare", remote);
        repository.git("remote", "add", "origin", remote);
        tree.git("push", "-q", "origin", "HEAD");
      },
    };
    for (const [name, merge] of Object.entries(merges)) {
      const { repository, create, remove } = setUp();
      const tree = gitFolder((await create()).record.path);
      tree.commit("one", { "one.txt": "1\n" });
      tree.commit("two", { "one.txt": "2\n" });
      merge(repository, tree);
      expect([name, (await remove()).branch]).toEqual([name, "deleted"]);
    }
  });

  test("never a main checkout, whatever record and folder say", async () => {
    const { repository, home, create, remove } = setUp();
    const { record } = await create();
    const file = join(home, "worktrees/project/.fix-it.json");
    const lie = (changes: object) => writeFileSync(file, JSON.stringify({ ...record, ...changes }));

    lie({ path: repository.root });
    await expect(remove({ force: true })).rejects.toMatchObject({ code: "store.damaged" });

    lie({});
    rmSync(record.path, { recursive: true });
    symlinkSync(repository.root, record.path);
    await expect(remove({ force: true })).rejects.toMatchObject({ code: "workspace.invalid" });
    rmSync(record.path);

    // A repository of its own, moved to where the worktree was, and named as its repository.
    execFileSync("cp", ["-r", gitRepository().root, record.path]);
    await expect(remove({ force: true })).rejects.toMatchObject({ code: "workspace.invalid" });
    lie({ common_dir: join(record.path, ".git") });
    await expect(remove({ force: true })).rejects.toMatchObject({
      message: expect.stringContaining("main checkout") as string,
    });
    lie({ common_dir: join(home, "nowhere") });
    await expect(remove({ force: true })).rejects.toMatchObject({ code: "workspace.invalid" });
    expect(existsSync(join(record.path, "readme.md"))).toBe(true);
    expect(existsSync(join(repository.root, "readme.md"))).toBe(true);
  });

  test("not while it is locked; also when its folder or its repository is gone", async () => {
    const { repository, create, remove } = setUp();
    const { record } = await create();
    repository.git("worktree", "lock", record.path);
    await expect(remove({ force: true })).rejects.toMatchObject({
      message: expect.stringContaining("locked") as string,
    });
    repository.git("worktree", "unlock", record.path);
    rmSync(record.path, { recursive: true });
    expect((await remove()).branch).toBe("deleted");
    const again = await create();
    rmSync(repository.root, { recursive: true });
    await expect(remove()).rejects.toMatchObject({ code: "workspace.busy" });
    await remove({ force: true });
    expect(existsSync(again.record.path)).toBe(false);
  });

  test("tear-down runs before the folder goes", async () => {
    const { create, names } = setUp();
    await create();
    const proof = join(temporaryFolder(), "proof");
    const { notices } = await removeWorktree({ ...names, teardown: `pwd > ${proof}; exit 1` });
    expect(readFileSync(proof, "utf8")).toContain("worktrees/project/fix-it");
    expect(notices).toEqual(["the tear-down script failed with exit code 1"]);
  });
});
