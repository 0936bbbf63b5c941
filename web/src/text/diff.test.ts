import { expect, test } from "vitest";
import { readDiff } from "../../../src/contract/words/diff.ts";
import { pairs } from "./diff.ts";

const unified = `--- a/x.ts
+++ b/x.ts
@@ -1,3 +1,4 @@ function a
 one
-two
+two!
+--- not a header
 three
`;

test("what was removed stands beside what came in its place", () => {
  const [hunk] = readDiff(unified);
  expect(hunk && pairs(hunk).map(({ left, right }) => [left?.text, right?.text])).toEqual([
    ["one", "one"],
    ["two", "two!"],
    [undefined, "--- not a header"],
    ["three", "three"],
  ]);
});
