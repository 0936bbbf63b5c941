import { describe, expect, test } from "vitest";
import { countLines, pairs, parseDiff } from "./diff.ts";

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
    const [hunk] = parseDiff(unified);
    expect(hunk?.lines.map(({ kind, old, new: now }) => [kind, old, now])).toEqual([
      ["same", 1, 1],
      ["removed", 2, undefined],
      ["added", undefined, 2],
      ["added", undefined, 3],
      ["same", 3, 4],
    ]);
  });

  test("pairs what was removed with what came in its place", () => {
    const [hunk] = parseDiff(unified);
    expect(hunk && pairs(hunk).map(({ left, right }) => [left?.text, right?.text])).toEqual([
      ["one", "one"],
      ["two", "two!"],
      [undefined, "--- not a header"],
      ["three", "three"],
    ]);
  });

  test("is counted", () => {
    expect(countLines(unified)).toEqual({ added: 2, removed: 1 });
    expect(countLines("Binary files differ")).toEqual({ added: 0, removed: 0 });
  });
});
