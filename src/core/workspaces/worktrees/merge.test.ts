import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type GitRepository, gitFolder, gitHome, gitRepository } from "../../../../test/support/git-repository.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { conflictPrompt, type MergeWishes, mergeTask } from "./merge.ts";
import { createWorktree } from "./worktree.ts";
import { removeWorktree } from "./worktree-remove.ts";

beforeAll(() => {
  gitHome();
});

async function setUp() {
  const repository = gitRepository({ "a.txt": "1\n2\n3\n", "b.txt": "b\n" });
  const names = { home: temporaryFolder(), project: "p", task: "t" };
  const { record } = await createWorktree({ ...names, repository: repository.root });
  const tree = gitFolder(record.path);
  const merge = (wishes: Partial<MergeWishes> = {}) =>
    mergeTask({ worktree: record.path, into: "main", how: "rebase", ...wishes });
  return { repository, tree, merge, names };
}

const subjects = ({ git }: GitRepository, ...args: string[]) => git("log", "--format=%s", ...args).split("\n");

describe("mergeTask", () => {
  test.each(["ff", "rebase"] as const)("%s moves the branch and its clean checkout forward", async (how) => {
    const { repository, tree, merge, names } = await setUp();
    tree.commit("one", { "a.txt": "1\n2\n3\n4\n" });
    tree.commit("two", { "new.txt": "new\n" });
    repository.write({ "untracked.txt": "mine\n" });
    const merged = await merge({ how });
    expect(merged).toEqual({
      branch: "cox/t",
      into: "main",
      commit: repository.git("rev-parse", "main"),
      commits: 2,
      diffStat: "2 files, +2 −0",
      leftOut: [],
    });
    expect(readFileSync(join(repository.root, "new.txt"), "utf8")).toBe("new\n");
    expect(repository.git("status", "--porcelain")).toBe("?? untracked.txt");
    expect((await removeWorktree(names)).branch).toBe("deleted");
  });

  test("rebase puts the work after what came meanwhile", async () => {
    const { repository, tree, merge } = await setUp();
    tree.commit("work", { "new.txt": "new\n" });
    repository.commit("meanwhile", { "b.txt": "changed\n" });
    expect((await merge()).commits).toBe(1);
    expect(subjects(repository)).toEqual(["work", "meanwhile", "first"]);
    expect(tree.git("rev-parse", "HEAD")).toBe(repository.git("rev-parse", "main"));
  });

  test("merge leaves a merge commit whose first parent is the branch it went to", async () => {
    const { repository, tree, merge } = await setUp();
    tree.commit("work", { "new.txt": "new\n" });
    const before = repository.commit("meanwhile", { "b.txt": "changed\n" });
    expect(await merge({ how: "merge" })).toMatchObject({ commits: 2, diffStat: "1 file, +1 −0" });
    expect(subjects(repository, "--first-parent")).toEqual(["Merge branch 'cox/t' into main", "meanwhile", "first"]);
    expect(repository.git("rev-parse", "main^1")).toBe(before);
    expect(repository.git("status", "--porcelain")).toBe("");
    expect(tree.git("status", "--porcelain")).toBe("");
    expect(readFileSync(join(tree.root, "b.txt"), "utf8")).toBe("changed\n");
  });

  test("a merge commit also where it could go forward", async () => {
    const { repository, tree, merge } = await setUp();
    tree.commit("work", { "new.txt": "new\n" });
    await merge({ how: "merge" });
    expect(subjects(repository, "--first-parent")).toEqual(["Merge branch 'cox/t' into main", "first"]);
  });

  test("a branch that is checked out nowhere moves too; the person's checkout is not touched", async () => {
    const { repository, tree, merge } = await setUp();
    repository.git("checkout", "-q", "-b", "elsewhere");
    repository.write({ "a.txt": "dirty\n" });
    tree.commit("work", { "new.txt": "new\n" });
    await merge();
    expect(subjects(repository, "main")).toEqual(["work", "first"]);
    expect(repository.git("status", "--porcelain", "--branch")).toBe("## elsewhere\n M a.txt");
  });

  test("a dirty checkout of the branch is refused before anything is done", async () => {
    const { repository, tree, merge } = await setUp();
    tree.commit("work", { "new.txt": "new\n" });
    const tip = repository.commit("meanwhile", { "b.txt": "x\n" });
    repository.write({ "a.txt": "dirty\n" });
    const before = tree.git("rev-parse", "HEAD");
    await expect(merge()).rejects.toMatchObject({
      code: "workspace.busy",
      message: expect.stringContaining("with uncommitted changes") as string,
    });
    expect([tree.git("rev-parse", "HEAD"), repository.git("rev-parse", "main")]).toEqual([before, tip]);
    expect(readFileSync(join(repository.root, "a.txt"), "utf8")).toBe("dirty\n");
  });

  test("an untracked file in the way is kept; git's refusal is passed on", async () => {
    const { repository, tree, merge } = await setUp();
    tree.commit("work", { "new.txt": "theirs\n" });
    repository.write({ "new.txt": "mine\n" });
    await expect(merge()).rejects.toMatchObject({ code: "workspace.invalid" });
    expect(readFileSync(join(repository.root, "new.txt"), "utf8")).toBe("mine\n");
    expect(subjects(repository)).toEqual(["first"]);
  });

  test("uncommitted work is refused, or committed with a message", async () => {
    const { repository, tree, merge } = await setUp();
    tree.write({ "new.txt": "new\n", "a.txt": "changed\n" });
    await expect(merge()).rejects.toMatchObject({ code: "workspace.busy", details: { files: 2 } });
    expect(await merge({ commitMessage: "--all of it\n\nwith a body" })).toMatchObject({ commits: 1 });
    expect(subjects(repository)).toEqual(["--all of it", "first"]);
    expect(repository.git("log", "-1", "--format=%an <%ae>")).toBe("Ann <ann@example.com>");
  });

  test("without an identity it still commits", async () => {
    const { tree, merge } = await setUp();
    const { HOME } = process.env;
    process.env.HOME = temporaryFolder();
    try {
      tree.write({ "new.txt": "new\n" });
      await merge({ commitMessage: "work", how: "merge" });
    } finally {
      process.env.HOME = HOME;
    }
    expect(tree.git("log", "-1", "--format=%an")).toBe("Coxswain");
  });

  test("ff refuses when the other branch moved on", async () => {
    const { repository, tree, merge } = await setUp();
    tree.commit("work", { "new.txt": "new\n" });
    repository.commit("meanwhile", { "b.txt": "x\n" });
    await expect(merge({ how: "ff" })).rejects.toMatchObject({ code: "workspace.conflict" });
  });

  test("wrong branches are said", async () => {
    const { tree, merge } = await setUp();
    await expect(merge({ into: "nothing" })).rejects.toMatchObject({ code: "workspace.invalid" });
    await expect(merge({ into: "cox/t" })).rejects.toMatchObject({ code: "workspace.invalid" });
    tree.git("checkout", "-q", "--detach");
    await expect(merge()).rejects.toMatchObject({ code: "workspace.invalid" });
  });
});

describe("conflicts", () => {
  async function conflict() {
    const all = await setUp();
    all.tree.commit("theirs", { "a.txt": "1\ntheirs\n3\n", "b.txt": "theirs\n" });
    all.repository.commit("ours", { "a.txt": "1\nours\n3\n", "b.txt": "ours\n" });
    return all;
  }

  test.each(["rebase", "merge"] as const)("a %s is undone cleanly and lists the files", async (how) => {
    const { repository, tree, merge } = await conflict();
    const before = [tree.git("rev-parse", "HEAD"), repository.git("rev-parse", "main")];
    await expect(merge({ how })).rejects.toMatchObject({
      code: "workspace.conflict",
      details: { conflicts: ["a.txt", "b.txt"], kept: false },
    });
    expect([tree.git("rev-parse", "HEAD"), repository.git("rev-parse", "main")]).toEqual(before);
    expect(tree.git("status", "--porcelain", "--branch")).toBe("## cox/t");
    expect(existsSync(join(repository.root, ".git/worktrees/t/rebase-merge"))).toBe(false);
  });

  test.each([
    ["rebase", ["rebase", "--continue"]],
    ["merge", ["commit", "--no-edit"]],
  ] as const)("those of a %s can be kept, resolved in the worktree, and merged then", async (how, finish) => {
    const { repository, tree, merge } = await conflict();
    await expect(merge({ how, keepConflicts: true })).rejects.toMatchObject({ details: { kept: true } });
    expect(readFileSync(join(tree.root, "a.txt"), "utf8")).toContain("<<<<<<<");
    expect(repository.git("status", "--porcelain")).toBe("");
    await expect(merge({ how })).rejects.toMatchObject({
      code: "workspace.conflict",
      message: expect.stringContaining("in progress") as string,
    });
    for (const file of ["a.txt", "b.txt"]) writeFileSync(join(tree.root, file), "both\n");
    tree.git("add", "-A");
    tree.git("-c", "core.editor=true", ...finish);
    await merge({ how });
    expect(readFileSync(join(repository.root, "a.txt"), "utf8")).toBe("both\n");
  });

  test("what the agent is told", () => {
    expect(conflictPrompt(["a.txt", "b.txt"], "rebase", "main")).toMatch(
      /main[^]*- a\.txt\n- b\.txt[^]*git rebase --continue/,
    );
    expect(conflictPrompt(["a.txt"], "merge", "main")).toContain("git commit --no-edit");
  });
});
