import { describe, expect, test } from "vitest";
import { columnsOf } from "../../../../lib/command/columns.ts";
import { colours, noColours } from "../../../../lib/command/paint.ts";
import { renderTool, type ShownTool } from "./tool-lines.ts";

const tool = (fields: Partial<ShownTool>): ShownTool => ({
  toolCallId: "c1",
  toolName: "Bash",
  toolTitle: "npm test",
  kind: "execute",
  toolStatus: "completed",
  ...fields,
});
const diff = {
  path: "src/a.ts",
  change: "modify" as const,
  unified: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,3 +1,4 @@\n same\n-old\n+new\n+\tmore\n--- not a header\n",
};

const cases: Record<string, [ShownTool, string[]]> = {
  "running has no result": [tool({ toolStatus: "running", result: "partial" }), ["⋯ npm test"]],
  "one line of result is shown": [tool({ result: "all good\n" }), ["✓ npm test  all good"]],
  "more lines are counted": [tool({ result: "a\n\nb\nc" }), ["✓ npm test  4 lines"]],
  "a large result says that it is more": [
    tool({ result: { head: "a\nb", bytes: 100_000, sha256: "x" } }),
    ["✓ npm test  more than 2 lines"],
  ],
  "a failure shows its code and first words": [
    tool({ toolStatus: "failed", exitCode: 2, result: "no such file\nat line 1" }),
    ["✗ npm test  exit 2: no such file"],
  ],
  denied: [tool({ toolStatus: "denied" }), ["⊘ npm test  denied"]],
  cancelled: [tool({ toolStatus: "cancelled", result: "half" }), ["⊘ npm test  cancelled"]],
  "a subagent's tool is indented": [tool({ parentToolCallId: "c0" }), ["  ✓ npm test"]],
  "no title falls back to the name": [tool({ toolTitle: " " }), ["✓ Bash"]],
  "an edit shows what changed": [
    tool({ toolName: "Edit", toolTitle: "Edit", kind: "edit", result: "ok", diffs: [diff] }),
    ["✓ Edit src/a.ts  +2 −2", "    -old", "    +new", "    +  more", "    --- not a header"],
  ],
  "escape sequences in titles and results are gone": [
    tool({ toolTitle: "\x1b]0;x\x07ls\nrm", result: "\x1b[31mred\x1b[0m" }),
    ["✓ ls rm  red"],
  ],
  "what hides in a diff is seen": [
    tool({ kind: "edit", diffs: [{ path: "a", change: "create", unified: "@@ -0,0 +1 @@\n+x\x1b[8mhidden" }] }),
    ["✓ npm test  +1 −0", "    +x\\x1b[8mhidden"],
  ],
};

describe("renderTool", () => {
  test.each(Object.entries(cases))("%s", (_, [given, lines]) => {
    expect(renderTool(given, { width: 80, paint: noColours })).toEqual(lines);
  });

  test("many changes are cut", () => {
    const unified = `@@ -1 +1 @@\n${Array.from({ length: 9 }, (_, i) => `+line ${i}`).join("\n")}`;
    const lines = renderTool(tool({ diffs: [{ ...diff, unified }] }), { width: 80, paint: noColours });
    expect(lines).toHaveLength(6);
    expect(lines.at(-1)).toBe("    … 5 more lines");
  });

  test("never wider than the screen, however narrow", () => {
    const long = tool({ toolTitle: "x".repeat(300), result: "y".repeat(300), parentToolCallId: "c0", diffs: [] });
    const edit = tool({ toolTitle: "漢字".repeat(80), diffs: [{ ...diff, unified: `@@\n+${"漢".repeat(99)}` }] });
    for (const width of [1, 5, 19, 20, 40, 80, 200]) {
      for (const paint of [colours, noColours]) {
        for (const line of [...renderTool(long, { width, paint }), ...renderTool(edit, { width, paint })]) {
          expect(columnsOf(line)).toBeLessThanOrEqual(Math.max(width, 20));
        }
      }
    }
  });
});
