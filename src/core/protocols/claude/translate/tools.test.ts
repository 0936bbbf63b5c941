import { describe, expect, test } from "vitest";
import {
  done,
  events,
  init,
  last,
  prompt,
  received,
  toolResult,
  whole,
} from "../../../../../test/support/claude-frames.ts";

describe("tools", () => {
  const use = (id: string, name: string, input: object, parent: string | null = null) =>
    whole(`m-${id}`, [{ type: "tool_use", id, name, input }], parent);

  test.each([
    ["Bash", { command: "ls -la" }, "execute", "ls -la"],
    ["Read", { file_path: "/a.ts" }, "read", "Read /a.ts"],
    ["Edit", { file_path: "/a.ts", old_string: "x", new_string: "y" }, "edit", "Edit /a.ts"],
    ["Write", { file_path: "/a.ts", content: "x" }, "edit", "Write /a.ts"],
    ["NotebookEdit", { notebook_path: "/a.ipynb", new_source: "x" }, "edit", "Edit /a.ipynb"],
    ["Glob", { pattern: "**/*.ts" }, "search", "Find **/*.ts"],
    ["Grep", { pattern: "foo" }, "search", "Search foo"],
    ["WebFetch", { url: "https://x.test" }, "fetch", "Fetch https://x.test"],
    ["Task", { description: "look around" }, "subagent", "look around"],
    ["TodoWrite", { todos: [] }, "todo", "Update the to-do list"],
    ["mcp__git__log", {}, "other", "git: log"],
    ["Unheard", {}, "other", "Unheard"],
  ])("%s %j is %s: %s", (name, input, kind, toolTitle) => {
    expect(last(events([use("t", name, input)]), "tool_call")).toMatchObject({ toolName: name, kind, toolTitle });
  });

  test("a to-do list is a plan, and so is the plan to approve", () => {
    const todos = [
      { content: "one", status: "completed" },
      { content: "two", status: "in_progress" },
    ];
    const entries = [
      { text: "one", status: "completed" },
      { text: "two", status: "in_progress" },
    ];
    expect(last(events([use("t", "TodoWrite", { todos })]), "plan")).toMatchObject({ entries });
    expect(last(events([use("t", "ExitPlanMode", { plan: "# P" })]), "plan")).toMatchObject({ markdown: "# P" });
  });

  const reject = { tool_result_meta: [{ id: "t", permission_decision: { decision: "reject" } }] };
  const stopped = { tool_result_meta: [{ id: "t", non_execution_kind: "user-rejected" }] };
  test.each([
    ["a result", {}, {}, { toolStatus: "completed" }],
    ["blocks", { content: [{ type: "text", text: "a" }, { type: "image" }] }, {}, { result: "a\n[image]" }],
    ["an error", { is_error: true, content: "Exit code 3\nno" }, {}, { toolStatus: "failed", exitCode: 3 }],
    ["a denial", { is_error: true, content: "no" }, reject, { toolStatus: "denied" }],
    ["an interrupt", { is_error: true, content: "no" }, stopped, { toolStatus: "cancelled" }],
    [
      "a command",
      {},
      { tool_use_result: { stdout: "", interrupted: false } },
      { toolStatus: "completed", exitCode: 0 },
    ],
  ])("%s ends it", (_, block, message, expected) => {
    const all = events([use("t", "Bash", { command: "x" }), toolResult("t", block, message)]);
    expect(last(all, "tool_update")).toMatchObject(expected);
  });

  test("a result of a call we never saw makes the call", () => {
    expect(last(events([toolResult("t9", { content: "hm" })]), "tool_call")).toMatchObject({
      toolCallId: "t9",
      toolStatus: "completed",
      result: "hm",
    });
  });

  test("an edit reports what it changed with the file's line numbers", () => {
    const patch = [{ oldStart: 7, oldLines: 1, newStart: 7, newLines: 1, lines: ["-a", "+b"] }];
    const output = { tool_use_result: { filePath: "/f", structuredPatch: patch, originalFile: "…" } };
    const all = events([
      use("t", "Edit", { file_path: "/f", old_string: "a", new_string: "b" }),
      toolResult("t", {}, output),
    ]);
    const unified = "--- a/f\n+++ b/f\n@@ -7,1 +7,1 @@\n-a\n+b\n";
    expect(last(all, "tool_update")).toMatchObject({ diffs: [{ path: "/f", change: "modify", unified }] });
  });

  test("what a sub-agent does in the background outlives the turn; the rest does not", () => {
    const launched = { tool_use_result: { isAsync: true, status: "async_launched" } };
    const all = events([
      prompt("a"),
      init(),
      use("task", "Task", { description: "x" }),
      toolResult("task", {}, launched),
      use("sub", "Bash", { command: "x" }, "task"),
      use("own", "Bash", { command: "y" }),
      done(),
      received({
        type: "system",
        subtype: "task_notification",
        tool_use_id: "task",
        status: "completed",
        summary: "ok",
      }),
    ]);
    const updates = all.flatMap((event) =>
      event.type === "tool_update"
        ? [`${event.toolCallId} ${event.toolStatus}`]
        : event.type === "complete"
          ? ["--"]
          : [],
    );
    expect(updates).toEqual(["task running", "own cancelled", "--", "task completed", "sub cancelled"]);
  });
});
