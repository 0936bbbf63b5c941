import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { gitHome, gitRepository } from "../../../test/support/git-repository.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { workspaceDiff } from "./diff.ts";
import { diffStat, parseChanges, splitPatch } from "./diff-parse.ts";

beforeAll(() => {
  gitHome();
});

describe("workspaceDiff", () => {
  test("changed, staged, deleted, renamed, new and binary files, without a trace in the repository", async () => {
    const repository = gitRepository({
      ".gitignore": "*.log\n",
      "a.txt": "1\n2\n",
      "gone.txt": "x\ny\n",
      "old.txt": "same\nlines\nhere\n",
      "data.bin": "\0a",
    });
    repository.write({ "a.txt": "1\ntwo\nthree\n", "dir/new.txt": "n\n", "x.log": "no", "data.bin": "\0b" });
    repository.git("mv", "old.txt", "new name.txt");
    rmSync(join(repository.root, "gone.txt"));
    const objects = () => execFileSync("find", [join(repository.root, ".git")], { encoding: "utf8" });
    const before = objects();
    const files = await workspaceDiff(repository.root);
    expect(files).toEqual([
      { path: "a.txt", change: "modify", added: 2, removed: 1, binary: false },
      { path: "data.bin", change: "modify", added: 0, removed: 0, binary: true },
      { path: "dir/new.txt", change: "create", added: 1, removed: 0, binary: false },
      { path: "gone.txt", change: "delete", added: 0, removed: 2, binary: false },
      { path: "new name.txt", oldPath: "old.txt", change: "rename", added: 0, removed: 0, binary: false },
    ]);
    expect(diffStat(files)).toBe("5 files, +3 −3");
    expect(objects()).toBe(before);
  });

  test("patches of some files, cut at a limit", async () => {
    const repository = gitRepository({ "a.txt": "1\n", "*": "star\n", link: "x\n" });
    rmSync(join(repository.root, "link"));
    symlinkSync("a.txt", join(repository.root, "link"));
    repository.write({ "a.txt": "2\n", "*": "changed\n", "big.txt": "line\n".repeat(1000), "z.txt": "z\n" });
    const all = await workspaceDiff(repository.root, { patches: true, maxBytes: 200 });
    expect(all.map(({ path, truncated }) => [path, truncated === true])).toEqual([
      ["*", false],
      ["a.txt", false],
      ["big.txt", true],
      ["link", true],
      ["z.txt", false],
    ]);
    expect(all.at(-1)?.unified).toContain("+z\n");
    expect(all.every(({ unified = "" }) => unified.startsWith("diff --git ") && unified.length <= 200)).toBe(true);
    const [one, ...more] = await workspaceDiff(repository.root, { patches: true, paths: ["*"] });
    expect([one?.path, more.length]).toEqual(["*", 0]);
    expect(one?.unified).toContain("+changed\n");
  });

  test("between commits, from a commit, before the first commit", async () => {
    const repository = gitRepository({ "a.txt": "1\n" });
    const first = repository.git("rev-parse", "HEAD");
    repository.commit("second", { "a.txt": "2\n" });
    repository.write({ "b.txt": "b\n" });
    const paths = async (wishes: object) => (await workspaceDiff(repository.root, wishes)).map(({ path }) => path);
    expect(await paths({ from: first, to: "main" })).toEqual(["a.txt"]);
    expect(await paths({ from: first })).toEqual(["a.txt", "b.txt"]);
    expect(await paths({})).toEqual(["b.txt"]);
    await expect(paths({ from: "--output=/tmp/x" })).rejects.toMatchObject({ code: "workspace.invalid" });
    const fresh = gitRepository({});
    fresh.write({ "a.txt": "a\n" });
    expect((await workspaceDiff(fresh.root)).map(({ change }) => change)).toEqual(["create"]);
    await expect(workspaceDiff(temporaryFolder())).rejects.toMatchObject({ code: "workspace.invalid" });
  });

  test("compares as git does: converted line ends are no change; a mode is one", async () => {
    const repository = gitRepository({ ".gitattributes": "*.txt text eol=crlf\n", run: "x\n" });
    writeFileSync(join(repository.root, "a.txt"), "1\r\n2\r\n");
    repository.git("add", "-A");
    repository.git("commit", "-q", "-m", "crlf");
    repository.git("config", "core.splitIndex", "true");
    repository.git("update-index", "--split-index");
    const shared = () => readdirSync(join(repository.root, ".git")).sort();
    const before = shared();
    expect(await workspaceDiff(repository.root)).toEqual([]);
    chmodSync(join(repository.root, "run"), 0o755);
    writeFileSync(join(repository.root, "a.txt"), "1\r\nzwei\r\n");
    expect(await workspaceDiff(repository.root)).toEqual([
      { path: "a.txt", change: "modify", added: 1, removed: 1, binary: false },
      { path: "run", change: "modify", added: 0, removed: 0, binary: false },
    ]);
    expect(shared()).toEqual(before);
  });
});

test("git's output, taken apart", () => {
  const output = Buffer.from(
    [
      ":100644 100644 aaa bbb M",
      "a:b\tc",
      ":100644 100644 aaa bbb R086",
      "1\t1\tfake",
      ":000000 fake",
      ":100644 120000 aaa bbb T",
      "link",
      "3\t4\ta:b\tc",
      "1\t0\t",
      "1\t1\tfake",
      ":000000 fake",
      "-\t-\tlink",
      "",
    ].join("\0"),
    "latin1",
  );
  const { raw, files } = parseChanges(output);
  expect(files).toEqual([
    { path: "a:b\tc", change: "modify", added: 3, removed: 4, binary: false },
    { path: ":000000 fake", oldPath: "1\t1\tfake", change: "rename", added: 1, removed: 0, binary: false },
    { path: "link", change: "modify", added: 0, removed: 0, binary: true },
  ]);
  const patch = Buffer.from("diff --git 1\n+diff --git no\ndiff --git 2\ndiff --git 3a\n-x\ndiff --git 3b\n+é\n");
  expect(splitPatch(patch, raw)).toEqual([
    "diff --git 1\n+diff --git no\n",
    "diff --git 2\n",
    "diff --git 3a\n-x\ndiff --git 3b\n+é\n",
  ]);
  expect(parseChanges(Buffer.alloc(0)).files).toEqual([]);
  expect(diffStat([{ added: 10, removed: 2 }])).toBe("1 file, +10 −2");
});
