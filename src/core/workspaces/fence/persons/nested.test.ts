import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { isLink, nestedGits } from "./nested.ts";

test("repositories in a workspace are found, but not by links, in what is installed, or too deep", () => {
  const workspace = temporaryFolder();
  const there = ["a/.git", "b/c/.git", "1/2/3/4/5/.git"];
  for (const path of [".git", "node_modules/x/.git", "1/2/3/4/5/6/.git", ...there]) {
    mkdirSync(join(workspace, path), { recursive: true });
  }
  mkdirSync(join(workspace, "sub"));
  writeFileSync(join(workspace, "sub/.git"), "gitdir: x\n");
  mkdirSync(join(workspace, "linked"));
  symlinkSync("../a/.git", join(workspace, "linked/.git"));
  symlinkSync("a", join(workspace, "other"));
  const { gits, cutShort } = nestedGits(workspace);
  expect(gits.map(({ path }) => path).sort()).toEqual(
    [...there, "sub/.git", "linked/.git"].map((path) => join(workspace, path)).sort(),
  );
  expect(gits.filter(isLink).map(({ inode }) => inode)).toEqual(["-> ../a/.git"]);
  expect(cutShort).toBe(false);
  expect(nestedGits(workspace, 3)).toEqual({ gits: [], cutShort: true });
});

test("whatever git takes for a git directory is one, by any name, and nothing in it is looked at", () => {
  const workspace = temporaryFolder();
  const make = (folder: string, ...names: string[]) => {
    for (const name of names) mkdirSync(join(workspace, folder, name), { recursive: true });
  };
  make(".bare", "HEAD", "objects", "refs", "worktrees/one/HEAD", "worktrees/one/commondir");
  make("src", "HEAD", "commondir");
  make("docs", "objects", "refs");
  const found = () => nestedGits(workspace).gits.map(({ path }) => path);
  expect(found().sort()).toEqual([join(workspace, ".bare"), join(workspace, "src")]);
  make(".", "HEAD", "objects", "refs");
  expect(found()).toContain(workspace);
});
