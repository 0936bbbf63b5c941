import { describe, expect, test } from "vitest";
import { countLines, isAllHunks, readDiff } from "./diff.ts";

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

const unified = `--- a/x.ts
+++ b/x.ts
@@ -1,3 +1,4 @@ function a
 one
-two
+two!
+--- not a header
 three
`;

describe("a unified diff", () => {
  test("has numbers on both sides", () => {
    const [hunk] = readDiff(unified);
    expect(hunk?.lines.map(({ kind, old, new: now }) => [kind, old, now])).toEqual([
      ["same", 1, 1],
      ["removed", 2, undefined],
      ["added", undefined, 2],
      ["added", undefined, 3],
      ["same", 3, 4],
    ]);
  });

  test("of which only the beginning is here is read as far as it goes", () => {
    expect(countLines("--- a/x\n+++ b/x\n@@ -0,0 +1,5 @@\n+one\n+tw")).toEqual({ added: 2, removed: 0 });
  });

  test("is counted", () => {
    expect(countLines(unified)).toEqual({ added: 2, removed: 1 });
    expect(countLines("Binary files differ")).toEqual({ added: 0, removed: 0 });
  });
});
