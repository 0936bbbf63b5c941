import { expect, test } from "vitest";
import { outsideSubmodules } from "./outside-submodules.ts";

test.each([
  ["status --porcelain", "status --ignore-submodules=dirty --porcelain"],
  ["diff --cached -- a", "diff --ignore-submodules=dirty --cached -- a"],
  ["diff-files", "diff-files --ignore-submodules=dirty"],
  ["diff-index HEAD", "diff-index --ignore-submodules=dirty HEAD"],
  // These look at no submodule: they compare trees, or what is checked out there by its HEAD alone.
  ["diff-tree a b", "diff-tree a b"],
  ["ls-files --modified", "ls-files --modified"],
  ["update-index --refresh", "update-index --refresh"],
  ["commit --quiet", "commit --quiet"],
  ["rebase main", "rebase main"],
  ["merge --ff-only main", "merge --ff-only main"],
])("git %s", (asked, run) => {
  expect(outsideSubmodules(asked.split(" "))).toEqual(run.split(" "));
});
