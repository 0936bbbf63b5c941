import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type GitRepository, gitHome, gitRepository } from "../../../../test/support/git-repository.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { listCheckpoints, takeCheckpoint } from "./checkpoint.ts";
import { previewUndo, undo } from "./undo.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

const RUN = "20260101-0000000000-0000001-0001";
const home = temporaryFolder();
beforeAll(() => {
  gitHome();
});

async function begin(
  files: Readonly<Record<string, string>>,
): Promise<{ repository: GitRepository; workspace: Workspace }> {
  const repository = gitRepository(files);
  const workspace = await openWorkspace(repository.root, home);
  if (workspace === undefined) throw new Error("not a repository");
  await takeCheckpoint(workspace, RUN, 0);
  return { repository, workspace };
}

/** Every file below, with kind, x bit and content. */
function filesOf(root: string): string[] {
  const list = execFileSync("find", [".", "-name", ".git", "-prune", "-o", "-print0"], {
    cwd: root,
    encoding: "latin1",
  });
  return list
    .split("\0")
    .slice(0, -1)
    .sort()
    .map((name) => {
      const path = Buffer.from(`${root}/${name}`, "latin1");
      const stat = lstatSync(path);
      if (stat.isDirectory()) return `${name}/`;
      if (stat.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`;
      return `${name} ${(stat.mode & 0o111) !== 0 ? "x" : "-"} ${readFileSync(path, "base64")}`;
    });
}

test("files are exactly as they were, and an undo can be undone", async () => {
  const { repository, workspace } = await begin({
    ".gitignore": "*.log\n",
    "keep.txt": "keep\n",
    "change.txt": "before\r\nmixed\n",
    "delete/deep/file.txt": "x\n",
    "file-to-folder": "was a file\n",
    "folder-to-file/inside": "was inside\n",
    run: "#!/bin/sh\n",
    'odd\tname "quoted"': "odd\n",
  });
  const { root } = repository;
  chmodSync(join(root, "run"), 0o755);
  symlinkSync("keep.txt", join(root, "link"));
  repository.write({ "kept.log": "1\n" });
  await takeCheckpoint(workspace, RUN, 0);
  const before = filesOf(root);

  repository.write({ "change.txt": "after\n", "new/dir/file.txt": "new\n", "kept.log": "2\n", "more.log": "3\n" });
  chmodSync(join(root, "run"), 0o644);
  for (const path of ["delete", "file-to-folder", "folder-to-file", "link"])
    rmSync(join(root, path), { recursive: true });
  repository.write({ "file-to-folder/x": "x\n", "folder-to-file": "now a file\n", link: "a file now\n" });
  await takeCheckpoint(workspace, RUN, 1);
  const after = filesOf(root);

  const preview = await previewUndo(workspace, RUN, { to: { turn: 0 } });
  expect(preview.edited).toEqual([]);
  expect(preview.files.map(({ path, change }) => `${change} ${path}`)).toContain("delete new/dir/file.txt");
  expect(filesOf(root)).toEqual(after);

  const undone = await undo(workspace, RUN, { to: { turn: 0 } });
  expect(undone.left).toEqual([]);
  const logs = (list: string[]) => list.filter((entry) => entry.includes(".log"));
  const rest = (list: string[]) => list.filter((entry) => !entry.includes(".log"));
  expect(rest(filesOf(root))).toEqual(rest(before));
  expect(logs(filesOf(root))).toEqual(logs(after));

  await undo(workspace, RUN, { to: "redo" });
  expect(filesOf(root)).toEqual(after);
  await expect(undo(workspace, RUN, { to: "redo" })).rejects.toThrow("an undo is taken back once");
  expect(filesOf(root)).toEqual(after);
  expect((await listCheckpoints(root, RUN)).map(({ kind, n }) => `${kind} ${n}`)).toEqual([
    "turn 0",
    "turn 1",
    "undo 1",
    "undo 2",
    "after 1",
    "after 2",
  ]);
});

test("each turn can be come back to", async () => {
  const { repository, workspace } = await begin({ "a.txt": "0\n" });
  for (const n of [1, 2, 3]) {
    repository.write({ "a.txt": `${n}\n`, [`new-${n}`]: "x" });
    await takeCheckpoint(workspace, RUN, n);
  }
  await undo(workspace, RUN, { to: { turn: 1 } });
  expect(filesOf(repository.root).map((entry) => entry.split(" ")[0])).toEqual(["./", "./a.txt", "./new-1"]);
  await undo(workspace, RUN, { to: { turn: 0 } });
  expect(readFileSync(join(repository.root, "a.txt"), "utf8")).toBe("0\n");
  await undo(workspace, RUN, { to: { turn: 3 } });
  expect(readFileSync(join(repository.root, "a.txt"), "utf8")).toBe("3\n");
  await expect(undo(workspace, RUN, { to: { turn: 9 } })).rejects.toMatchObject({
    code: "usage.invalid",
    message: "turn 9: the run has no checkpoint of it; it has those of turns 0, 1, 2, 3",
  });
});

test("index, HEAD, branches, stash and reflog stay; a commit of the agent's is said", async () => {
  const { repository, workspace } = await begin({ "a.txt": "0\n", "b.txt": "0\n" });
  const was = repository.git("rev-parse", "HEAD");
  repository.commit("by the agent", { "a.txt": "1\n" });
  repository.write({ "b.txt": "staged\n" });
  repository.git("add", "b.txt");
  await takeCheckpoint(workspace, RUN, 1);
  const refs = () => [
    repository.git("for-each-ref", "refs/heads"),
    repository.git("reflog"),
    repository.git("ls-files", "-s"),
  ];
  const before = refs();
  const { headWas } = await undo(workspace, RUN, { to: { turn: 0 } });
  expect(refs()).toEqual(before);
  expect(headWas).toEqual({ commit: was, isLast: true });
  expect(repository.git("status", "--porcelain")).toBe(" M a.txt\nMM b.txt");
  await undo(workspace, RUN, { to: "redo" });
  repository.commit("by the person");
  expect(await undo(workspace, RUN, { to: { turn: 0 } })).toMatchObject({ headWas: { commit: was, isLast: false } });
});

describe("ignored files are never touched", () => {
  test("one that the agent's rules no longer ignore", async () => {
    const { repository, workspace } = await begin({ ".gitignore": ".env\n" });
    repository.write({ ".env": "secret\n" });
    await takeCheckpoint(workspace, RUN, 0);
    repository.write({ ".gitignore": "# nothing\n", "made.txt": "x" });
    await takeCheckpoint(workspace, RUN, 1);
    const { left, deleted } = await undo(workspace, RUN, { to: { turn: 0 } });
    expect(readFileSync(join(repository.root, ".env"), "utf8")).toBe("secret\n");
    expect(left).toEqual([{ path: ".env", why: "ignored" }]);
    expect(deleted).toEqual(["made.txt"]);
  });

  test("rules that the agent made hide nothing it made before", async () => {
    const { repository, workspace } = await begin({ "a.txt": "a" });
    repository.write({ "out.txt": "1" });
    await takeCheckpoint(workspace, RUN, 1);
    repository.write({ ".gitignore": "*.txt\n", "later.txt": "ignored when made" });
    await takeCheckpoint(workspace, RUN, 2);
    await undo(workspace, RUN, { to: { turn: 0 } });
    expect(existsSync(join(repository.root, "out.txt"))).toBe(false);
    expect(existsSync(join(repository.root, ".gitignore"))).toBe(false);
    expect(existsSync(join(repository.root, "later.txt"))).toBe(true);
  });

  test("a folder of them in the place of a file is not cleared away", async () => {
    const { repository, workspace } = await begin({ ".gitignore": "*.log\n", thing: "file\n" });
    rmSync(join(repository.root, "thing"));
    repository.write({ "thing/precious.log": "x", "thing/other": "x" });
    await takeCheckpoint(workspace, RUN, 1);
    const { left } = await undo(workspace, RUN, { to: { turn: 0 } });
    expect(existsSync(join(repository.root, "thing/precious.log"))).toBe(true);
    expect(left).toEqual([{ path: "thing", why: "a folder that is not empty is in its place" }]);

    rmSync(join(repository.root, "thing"), { recursive: true });
    mkdirSync(join(repository.root, "thing/with/empty/folders"), { recursive: true });
    await takeCheckpoint(workspace, RUN, 2);
    await undo(workspace, RUN, { to: { turn: 0 } });
    expect(readFileSync(join(repository.root, "thing"), "utf8")).toBe("file\n");
  });
});

test("nothing is written or deleted through a link out of the tree", async () => {
  const outside = temporaryFolder();
  writeFileSync(join(outside, "file.txt"), "theirs");
  const { repository, workspace } = await begin({ "dir/file.txt": "ours\n", "dir/two.txt": "ours\n" });
  rmSync(join(repository.root, "dir"), { recursive: true });
  symlinkSync(outside, join(repository.root, "dir"));
  await takeCheckpoint(workspace, RUN, 1);
  const { left } = await undo(workspace, RUN, { to: { turn: 0 } });
  expect(left).toEqual([]);
  expect(readFileSync(join(outside, "file.txt"), "utf8")).toBe("theirs");
  expect(existsSync(join(outside, "two.txt"))).toBe(false);
  expect(lstatSync(join(repository.root, "dir")).isDirectory()).toBe(true);

  // An ignored link in the place of a folder may not be removed, so it must not be followed either.
  const other = await begin({ ".gitignore": "dir\n!dir/\n", "dir/file.txt": "ours\n" });
  rmSync(join(other.repository.root, "dir"), { recursive: true });
  symlinkSync(outside, join(other.repository.root, "dir"));
  await takeCheckpoint(other.workspace, RUN, 1);
  const second = await undo(other.workspace, RUN, { to: { turn: 0 } });
  expect(second.left).toEqual([{ path: "dir/file.txt", why: "something that is no folder is in the place of one" }]);
  expect(readFileSync(join(outside, "file.txt"), "utf8")).toBe("theirs");
});

test("a file that was too large to keep is left alone, whichever way", async () => {
  const { repository, workspace } = await begin({ "a.txt": "a" });
  const limits = { fileBytes: 100, totalBytes: 10_000 };
  repository.write({ grows: "small", shrinks: "x".repeat(200) });
  await takeCheckpoint(workspace, RUN, 1, { limits });
  repository.write({ shrinks: "small now" });
  await takeCheckpoint(workspace, RUN, 2, { limits });
  const { left } = await undo(workspace, RUN, { to: { turn: 1 } });
  expect(left.map(({ path }) => path)).toEqual(["shrinks"]);
  expect(readFileSync(join(repository.root, "shrinks"), "utf8")).toBe("small now");
});

test("a repository within is left alone", async () => {
  const { repository, workspace } = await begin({ "a.txt": "a" });
  mkdirSync(join(repository.root, "sub"));
  execFileSync("sh", ["-c", "git init -q && git commit -q --allow-empty -m x"], { cwd: join(repository.root, "sub") });
  repository.write({ "sub/file": "x", "a.txt": "b" });
  await takeCheckpoint(workspace, RUN, 1);
  await undo(workspace, RUN, { to: { turn: 0 } });
  expect(existsSync(join(repository.root, "sub/file"))).toBe(true);
  expect(readFileSync(join(repository.root, "a.txt"), "utf8")).toBe("a");
});

test("files come back as open as their folder, also when we keep ours private", async () => {
  const { repository, workspace } = await begin({ "a.txt": "a" });
  rmSync(join(repository.root, "a.txt"));
  await takeCheckpoint(workspace, RUN, 1);
  chmodSync(repository.root, 0o755);
  const umask = process.umask(0o077);
  try {
    await undo(workspace, RUN, { to: { turn: 0 } });
  } finally {
    process.umask(umask);
  }
  expect(statSync(join(repository.root, "a.txt")).mode & 0o777).toBe(0o644);
});

test("without an undo there is nothing to redo", async () => {
  const { workspace } = await begin({ "a.txt": "a" });
  await expect(undo(workspace, RUN, { to: "redo" })).rejects.toMatchObject({ code: "usage.invalid" });
});

describe("what a person did since stays", () => {
  const TEXT = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
  const edited = (from: string, to: string) => TEXT.replace(from, to);
  const read = ({ root }: GitRepository, path: string) => readFileSync(join(root, path), "utf8");

  async function worked() {
    const made = await begin({ "text.txt": TEXT, "other.txt": "other\n", "gone.txt": "gone\n" });
    made.repository.write({ "text.txt": edited("one", "ONE"), "made.txt": "made\n" });
    rmSync(join(made.repository.root, "gone.txt"));
    await takeCheckpoint(made.workspace, RUN, 1);
    return made;
  }

  test("files that it made, changed or deleted beside the run's", async () => {
    const { repository, workspace } = await worked();
    repository.write({ "mine.txt": "mine\n", "deep/mine.txt": "mine\n" });
    rmSync(join(repository.root, "other.txt"));
    const { restored, deleted } = await undo(workspace, RUN, { to: { turn: 0 } });
    expect([restored.sort(), deleted]).toEqual([["gone.txt", "text.txt"], ["made.txt"]]);
    expect(filesOf(repository.root).map((entry) => entry.split(" ")[0])).toEqual([
      "./",
      "./deep/",
      "./deep/mine.txt",
      "./gone.txt",
      "./mine.txt",
      "./text.txt",
    ]);
    await undo(workspace, RUN, { to: "redo" });
    expect(read(repository, "mine.txt")).toBe("mine\n");
    expect(read(repository, "text.txt")).toBe(edited("one", "ONE"));
  });

  test("edits of the run's files are refused by name, and nothing is changed", async () => {
    const { repository, workspace } = await worked();
    repository.write({ "text.txt": edited("one", "ONE").replace("seven", "7"), "made.txt": "made\nand more\n" });
    const before = filesOf(repository.root);
    expect(await previewUndo(workspace, RUN, { to: { turn: 0 } })).toMatchObject({ edited: ["made.txt", "text.txt"] });
    const refused = undo(workspace, RUN, { to: { turn: 0 } });
    await expect(refused).rejects.toMatchObject({
      code: "workspace.conflict",
      message: expect.stringMatching(
        /^undo in \/.*: edited since the run: made.txt, text.txt; nothing was changed; .*--merge/,
      ),
    });
    expect(filesOf(repository.root)).toEqual(before);
    expect((await listCheckpoints(repository.root, RUN)).map(({ kind }) => kind)).toEqual(["turn", "turn"]);
  });

  test("edits elsewhere in a file are merged on request, and come back with redo", async () => {
    const { repository, workspace } = await worked();
    const mine = edited("one", "ONE").replace("seven", "7");
    repository.write({ "text.txt": mine });
    await undo(workspace, RUN, { to: { turn: 0 }, merge: true });
    expect(read(repository, "text.txt")).toBe(edited("seven", "7"));
    await undo(workspace, RUN, { to: "redo" });
    expect(read(repository, "text.txt")).toBe(mine);
  });

  test("edits of the same lines, of files that go, and of no text can't be merged", async () => {
    const { repository, workspace } = await worked();
    const text = read(repository, "text.txt");
    for (const [path, edit, undone] of [
      ["text.txt", edited("one", "1"), text],
      ["made.txt", "made\nand more\n", "made\n"],
      ["text.txt", "\0", text],
      ["gone.txt", "back\n", ""],
    ] as const) {
      repository.write({ [path]: edit });
      const before = filesOf(repository.root);
      await expect(undo(workspace, RUN, { to: { turn: 0 }, merge: true })).rejects.toThrow(
        `can't be merged: ${path}; nothing was changed`,
      );
      expect(filesOf(repository.root)).toEqual(before);
      repository.write({ [path]: undone });
    }
  });

  test("what is in the way of a file that comes back", async () => {
    const { repository, workspace } = await worked();
    repository.write({ "gone.txt/mine": "mine\n" });
    const { left, restored } = await undo(workspace, RUN, { to: { turn: 0 } });
    expect([left, restored]).toEqual([
      [{ path: "gone.txt", why: "a folder that is not empty is in its place" }],
      ["text.txt"],
    ]);
    expect(read(repository, "gone.txt/mine")).toBe("mine\n");
  });

  test("also after it was undone: redo refuses what was edited since, and is over with another turn", async () => {
    const { repository, workspace } = await worked();
    await undo(workspace, RUN, { to: { turn: 0 } });
    expect(await undo(workspace, RUN, { to: { turn: 0 } })).toEqual({ restored: [], deleted: [], left: [] });
    repository.write({ "text.txt": edited("two", "TWO") });
    await expect(undo(workspace, RUN, { to: "redo" })).rejects.toThrow("edited since the run: text.txt");
    await takeCheckpoint(workspace, RUN, 2);
    await expect(undo(workspace, RUN, { to: "redo" })).rejects.toThrow("nothing to take back");
    await undo(workspace, RUN, { to: { turn: 0 } });
    expect(read(repository, "text.txt")).toBe(TEXT);
  });
});
