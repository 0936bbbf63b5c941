import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type GitRepository, gitHome, gitRepository } from "../../../../test/support/git-repository.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { diffBetween } from "../diff.ts";
import { deleteCheckpoints, listCheckpoints, noticeOf, takeCheckpoint } from "./checkpoint.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

const RUN = "20260101-0000000000-0000001-0001";
const home = temporaryFolder();
beforeAll(() => {
  gitHome();
});

async function open(root: string): Promise<Workspace> {
  const workspace = await openWorkspace(root, home);
  if (workspace === undefined) throw new Error("not a repository");
  return workspace;
}

/** Everything of a repository that a person would notice. */
function stateOf({ root, git }: GitRepository): unknown {
  const dotGit = join(root, ".git");
  const logs = execFileSync("find", [".", "-type", "f", "-path", "*logs*"], { cwd: dotGit, encoding: "utf8" }).split(
    "\n",
  );
  return {
    index: readFileSync(join(dotGit, "index"), "base64"),
    head: readFileSync(join(dotGit, "HEAD"), "utf8"),
    branches: git("for-each-ref", "refs/heads", "refs/tags", "refs/stash"),
    stash: git("stash", "list"),
    logs: logs.filter(Boolean).map((name) => [name, readFileSync(join(dotGit, name), "utf8")]),
    files: readdirSync(dotGit).filter((name) => name !== "objects" && name !== "refs"),
    status: git("--no-optional-locks", "status", "--porcelain", "--ignored"),
  };
}

describe("takeCheckpoint", () => {
  test("holds tracked, changed, new and staged files, and nothing ignored", async () => {
    const repository = gitRepository({ ".gitignore": "*.log\n", "a.txt": "a\n", "dir/b.txt": "b\n" });
    repository.write({ "a.txt": "changed\n", "new.txt": "new\n", "x.log": "no\n", "staged.txt": "staged\n" });
    repository.git("add", "staged.txt");
    const workspace = await open(repository.root);
    const { commit } = await takeCheckpoint(workspace, RUN, 0);
    expect(repository.git("ls-tree", "-r", "--name-only", commit).split("\n")).toEqual([
      ".gitignore",
      "a.txt",
      "dir/b.txt",
      "new.txt",
      "staged.txt",
    ]);
    expect(repository.git("show", `${commit}:a.txt`)).toBe("changed");
    expect(repository.git("rev-parse", `refs/cox/${RUN}/0`)).toBe(commit);
  });

  test("changes nothing a person would notice", async () => {
    const repository = gitRepository({ "a.txt": "a\n", "b.txt": "b\n" });
    repository.write({ "a.txt": "stashed\n" });
    repository.git("stash");
    repository.write({ "a.txt": "staged\n", "b.txt": "changed\n", "new.txt": "new\n" });
    repository.git("add", "a.txt");
    repository.git("config", "core.logAllRefUpdates", "always");
    const before = stateOf(repository);
    const workspace = await open(repository.root);
    await takeCheckpoint(workspace, RUN, 0);
    repository.write({ "b.txt": "again\n" });
    await takeCheckpoint(workspace, RUN, 1);
    repository.write({ "b.txt": "changed\n" });
    expect(stateOf(repository)).toEqual(before);
  });

  test("works before the first commit, in a subfolder, and in a linked worktree", async () => {
    const fresh = gitRepository({});
    fresh.write({ "a.txt": "a\n" });
    const first = await takeCheckpoint(await open(fresh.root), RUN, 0);
    expect(first.head).toEqual({ branch: "main" });
    expect(fresh.git("show", `${first.commit}:a.txt`)).toBe("a");

    const repository = gitRepository({ "a.txt": "a\n", "dir/b.txt": "b\n" });
    const sub = await takeCheckpoint(await open(join(repository.root, "dir")), RUN, 0);
    expect(repository.git("ls-tree", "-r", "--name-only", sub.commit)).toBe("a.txt\ndir/b.txt");

    const linked = join(temporaryFolder(), "linked");
    repository.git("worktree", "add", "-q", "-b", "side", linked);
    writeFileSync(join(linked, "c.txt"), "c\n");
    const other = await takeCheckpoint(await open(linked), RUN, 1);
    expect(other.head.branch).toBe("side");
    expect(repository.git("show", `refs/cox/${RUN}/1:c.txt`)).toBe("c");
  });

  test("keeps the bytes as they lie on the disk, whatever git would convert", async () => {
    const repository = gitRepository({ ".gitattributes": "*.txt text eol=crlf\n*.id ident\n" });
    repository.write({ "lf.txt": "a\nb\n", "mixed.txt": "a\r\nb\n", "x.id": "$Id$\n" });
    repository.git("add", "-A");
    repository.git("commit", "-q", "-m", "converted");
    repository.git("config", "core.autocrlf", "true");
    writeFileSync(join(repository.root, "plain"), "a\r\n");
    const { commit } = await takeCheckpoint(await open(repository.root), RUN, 0);
    const kept = (name: string) =>
      execFileSync("git", ["cat-file", "blob", `${commit}:${name}`], { cwd: repository.root, encoding: "utf8" });
    for (const name of ["lf.txt", "mixed.txt", "x.id", "plain"]) {
      expect([name, kept(name)]).toEqual([name, readFileSync(join(repository.root, name), "utf8")]);
    }
  });

  test("sees a change of the same size in the same moment", async () => {
    const repository = gitRepository({ "a.txt": "1" });
    const workspace = await open(repository.root);
    for (let i = 0; i < 20; i += 1) {
      writeFileSync(join(repository.root, "a.txt"), String(i % 10));
      const { commit } = await takeCheckpoint(workspace, RUN, i);
      expect(repository.git("show", `${commit}:a.txt`)).toBe(String(i % 10));
    }
  });

  test("a file that git tracks although it is ignored counts", async () => {
    const repository = gitRepository({ ".gitignore": "*.env\n" });
    const workspace = await open(repository.root);
    await takeCheckpoint(workspace, RUN, 0);
    repository.write({ "a.env": "1\n" });
    repository.git("add", "-f", "a.env");
    const { commit } = await takeCheckpoint(workspace, RUN, 1);
    expect(repository.git("show", `${commit}:a.env`)).toBe("1");
  });

  test("leaves out what is too large, not readable or a repository of its own, and says so", async () => {
    const repository = gitRepository();
    repository.write({ big: "x".repeat(2000), small: "x", locked: "x" });
    chmodSync(join(repository.root, "locked"), 0);
    mkdirSync(join(repository.root, "nested"));
    execFileSync("git", ["init", "-q"], { cwd: join(repository.root, "nested") });
    repository.write({ "nested/file": "x" });
    const limits = { fileBytes: 1000, totalBytes: 10_000 };
    const { commit, skipped } = await takeCheckpoint(await open(repository.root), RUN, 0, { limits });
    const expected = [
      { path: "big", why: "large" },
      { path: "nested", why: "repository" },
    ];
    if (process.getuid?.() !== 0) expected.push({ path: "locked", why: "unreadable" });
    expect(skipped.sort((a, b) => a.path.localeCompare(b.path))).toEqual(
      expected.sort((a, b) => a.path.localeCompare(b.path)),
    );
    expect(noticeOf(skipped)).toContain("big (too large)");
    expect(repository.git("ls-tree", "-r", "--name-only", commit)).toContain("small");
    expect((await listCheckpoints(repository.root, RUN))[0]?.skipped).toEqual(skipped);
  });

  test("what one checkpoint takes in all is limited too", async () => {
    const repository = gitRepository();
    repository.write({ a: "x".repeat(600), b: "x".repeat(600) });
    const { skipped } = await takeCheckpoint(await open(repository.root), RUN, 0, {
      limits: { fileBytes: 1000, totalBytes: 1000 },
    });
    expect(skipped.length).toBe(1);
  });

  test("links, names that are no UTF-8, and a file that became a folder", async () => {
    const repository = gitRepository({ thing: "file\n" });
    const workspace = await open(repository.root);
    await takeCheckpoint(workspace, RUN, 0);
    execFileSync("rm", ["thing"], { cwd: repository.root });
    repository.write({ "thing/inside": "x\n" });
    symlinkSync("/etc", join(repository.root, "out"));
    writeFileSync(Buffer.from(`${repository.root}/odd\xff\n"name`, "latin1"), "odd");
    const { commit } = await takeCheckpoint(workspace, RUN, 1);
    const list = execFileSync("git", ["ls-tree", "-r", "-z", commit], { cwd: repository.root, encoding: "latin1" });
    const entries = list.split("\0").slice(0, -1);
    expect(entries.map((entry) => [entry.slice(0, 6), entry.split("\t")[1]])).toEqual([
      ["100644", 'odd\xff\n"name'],
      ["120000", "out"],
      ["100644", "thing/inside"],
    ]);
  });

  test("our own state folder is never part of it", async () => {
    const repository = gitRepository();
    const inside = join(repository.root, ".cox[1]");
    const workspace = await openWorkspace(repository.root, inside);
    if (workspace === undefined) throw new Error("not a repository");
    const { commit } = await takeCheckpoint(workspace, RUN, 0);
    expect(repository.git("ls-tree", "-r", "--name-only", commit)).toBe("readme.md");
  });

  test("several at once, by several who look at the same folder", async () => {
    const repository = gitRepository({ "a.txt": "a\n" });
    repository.write({ "b.txt": "b\n" });
    const taken = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => takeCheckpoint(await open(repository.root), RUN, n)),
    );
    const trees = new Set(taken.map(({ commit }) => repository.git("rev-parse", `${commit}^{tree}`)));
    expect(trees.size).toBe(1);
    expect((await listCheckpoints(repository.root, RUN)).map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("a split index is no obstacle; a damaged one is said", async () => {
    const damaged = gitRepository({ "a.txt": "a\n" });
    const split = gitRepository({ "a.txt": "a\n" });
    split.git("update-index", "--split-index");
    const { commit } = await takeCheckpoint(await open(split.root), RUN, 0);
    expect(split.git("ls-tree", "-r", "--name-only", commit)).toBe("a.txt");
    writeFileSync(join(damaged.root, ".git", "index"), "garbage");
    await expect(takeCheckpoint(await open(damaged.root), RUN, 0)).rejects.toMatchObject({ code: "workspace.invalid" });
  });

  test("in the middle of a conflict", async () => {
    const repository = gitRepository({ "a.txt": "a\n" });
    repository.git("checkout", "-q", "-b", "side");
    repository.commit("side", { "a.txt": "side\n" });
    repository.git("checkout", "-q", "main");
    repository.commit("main", { "a.txt": "main\n" });
    expect(() => repository.git("merge", "side")).toThrow();
    const { commit } = await takeCheckpoint(await open(repository.root), RUN, 0);
    expect(repository.git("show", `${commit}:a.txt`)).toContain("<<<<<<<");
    expect(repository.git("status", "--porcelain")).toBe("UU a.txt");
  });
});

describe("the list", () => {
  test("is by number, passes over refs that are not ours, and can be deleted", async () => {
    const repository = gitRepository();
    const workspace = await open(repository.root);
    for (const n of [0, 2, 10]) await takeCheckpoint(workspace, RUN, n);
    await takeCheckpoint(workspace, RUN, 1, { kind: "undo" });
    repository.git("update-ref", `refs/cox/${RUN}/77`, "HEAD");
    const list = await listCheckpoints(repository.root, RUN);
    expect(list.map(({ kind, n }) => `${kind} ${n}`)).toEqual(["turn 0", "turn 2", "turn 10", "undo 1"]);
    expect(await deleteCheckpoints(repository.root, RUN)).toBe(5);
    expect(await listCheckpoints(repository.root, RUN)).toEqual([]);
    expect(await deleteCheckpoints(repository.root, RUN)).toBe(0);
  });

  test("a run's id is not taken on trust", async () => {
    const { root } = gitRepository();
    await expect(listCheckpoints(root, "../heads")).rejects.toMatchObject({ code: "id.invalid" });
  });
});

test("the difference between two checkpoints", async () => {
  const repository = gitRepository({ "a.txt": "1\n2\n3\n", "gone.txt": "x\n", "old name.txt": "same\nsame\nsame\n" });
  const workspace = await open(repository.root);
  const from = await takeCheckpoint(workspace, RUN, 0);
  repository.write({ "a.txt": "1\n2\n3\n4\n", "new.bin": "\0\x01" });
  execFileSync("sh", ["-c", "rm gone.txt; mv 'old name.txt' 'new name.txt'"], { cwd: repository.root });
  const to = await takeCheckpoint(workspace, RUN, 1);
  const files = await diffBetween(workspace, from.commit, to.commit, { patches: true });
  expect(files.map((file) => ({ ...file, unified: undefined }))).toEqual(
    [
      { path: "a.txt", change: "modify", added: 1, removed: 0, binary: false },
      { path: "gone.txt", change: "delete", added: 0, removed: 1, binary: false },
      { path: "new.bin", change: "create", added: 0, removed: 0, binary: true },
      { path: "new name.txt", oldPath: "old name.txt", change: "rename", added: 0, removed: 0, binary: false },
    ].sort((a, b) => (a.path < b.path ? -1 : 1)),
  );
  expect(files[0]?.unified).toMatch(/^diff --git a\/a.txt b\/a.txt\n[^]*@@ -1,3 \+1,4 @@\n 1\n 2\n 3\n\+4\n$/);
});
