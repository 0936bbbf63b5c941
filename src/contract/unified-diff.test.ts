import { expect, test } from "vitest";
import { isAllHunks } from "./unified-diff.ts";

const hunk = "@@ -1,2 +1,2 @@\n same\n-old\n+new\n";

test.each<[string, string, boolean]>([
  ["a hunk", hunk, true],
  ["as git writes it", `diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n${hunk}`, true],
  ["without a newline at the end of the file", `${hunk}\\ No newline at end of file\n`, true],
  ["no hunk at all", "+rm -rf /\n", false],
  ["nothing", "", false],
  ["words above the first hunk", `rm -rf /\n${hunk}`, false],
  ["a line that is neither added nor removed nor the same", `${hunk}rm -rf /\n`, false],
  ["a second file, whose name no table of hunks shows", `${hunk}--- a/y\n+++ b/y\n`, true],
  ["a second file as git writes it", `${hunk}diff --git a/y b/y\n`, false],
])("%s", (_, unified, expected) => {
  expect(isAllHunks(unified)).toBe(expected);
});
