import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import {
  believe,
  type FenceRecord,
  fencedSince,
  fenceFolder,
  forgetGoneFences,
  isUntouched,
  recordOf,
} from "./record.ts";

const place = (path: string, inode = "1") => ({ path, inode });
const record = (change: Partial<FenceRecord> = {}): FenceRecord => ({
  version: 1,
  workspace: "/w",
  git: { gitDir: place("/w/.git"), commonDir: place("/w/.git") },
  nested: [],
  ...change,
});
const git = { gitDir: "/w/.git", commonDir: "/w/.git" };

describe("what is found is believed", () => {
  test.each([
    ["as it was recorded", { git }, record(), "1", { git }],
    [
      "not, if it is another",
      { git },
      record(),
      "2",
      { doubt: expect.stringContaining("not the repository that was there") },
    ],
    [
      "not, if it was not there",
      { git },
      record({ git: null }),
      "1",
      { doubt: expect.stringContaining("was not there") },
    ],
    ["not, if it is odd", { odd: "is odd" }, record(), "1", { doubt: "is odd" }],
    ["to be nothing", { none: true as const }, record(), "1", {}],
  ])("%s", (_, found, known, inode, belief) => {
    expect(believe(found, known, (path) => place(path, inode))).toEqual(belief);
  });
});

describe("at the first run a repository is the person's", () => {
  const inner = { gitDir: "/w/sub/.git", commonDir: "/w/sub/.git" };
  const worktree = { gitDir: "/w/.git/worktrees/side", commonDir: "/w/.git" };
  test.each([
    ["where no isolated agent was", inner, "/w/sub/.git", [record({ workspace: "/other", git: null })], true],
    ["not in a workspace of theirs", inner, "/w/sub/.git", [record()], false],
    ["where it was before them", inner, "/w/sub/.git", [record({ nested: [place("/w/sub/.git")] })], true],
    ["not where it is another since", inner, "/w/sub/.git", [record({ nested: [place("/w/sub/.git", "2")] })], false],
    ["as a worktree of one that was there", worktree, "/side/.git", [record()], true],
    ["not as a worktree of one they made", worktree, "/side/.git", [record({ git: null })], false],
  ])("%s", (_, found, dotGit, others, is) => {
    expect(isUntouched(found, place(dotGit), others)).toBe(is);
  });
});

test("the first record counts, until its workspace is gone", () => {
  const home = temporaryFolder();
  const workspace = join(home, "workspace");
  mkdirSync(workspace);
  const first = record({ workspace });
  expect(recordOf(home, workspace, () => first)).toEqual(first);
  const other = { ...first, git: null };
  expect(recordOf(home, workspace, () => other)).toEqual(first);
  forgetGoneFences(home);
  expect(recordOf(home, workspace, () => other)).toEqual(first);
  rmSync(workspace, { recursive: true });
  forgetGoneFences(home);
  expect(recordOf(home, workspace, () => other)).toEqual(other);
});

test("workspaces that agents had are told once each, and one whose record can't be read every time", () => {
  const home = temporaryFolder();
  const since = fencedSince(home);
  expect(since()).toEqual([]);
  recordOf(home, "/w", () => record());
  mkdirSync(fenceFolder(home, "/v"));
  expect([since(), since()]).toEqual([["/w"], []]);
  recordOf(home, "/v", () => record({ workspace: "/v" }));
  expect(since()).toEqual(["/v"]);
  mkdirSync(fenceFolder(home, "/u"));
  writeFileSync(join(fenceFolder(home, "/u"), "record.json"), "{");
  for (const _ of [1, 2]) expect(since).toThrow(expect.objectContaining({ code: "store.damaged" }));
});
