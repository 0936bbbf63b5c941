import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { nestedGits } from "./nested.ts";

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
    [...there, "sub/.git"].map((path) => join(workspace, path)).sort(),
  );
  expect(cutShort).toBe(false);
  expect(nestedGits(workspace, 3)).toEqual({ gits: [], cutShort: true });
});
