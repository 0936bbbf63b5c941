import { describe, expect, test } from "vitest";
import type { Json } from "../read.ts";
import { diffsOf, toolOf } from "./tools.ts";

describe("toolOf", () => {
  const cases: Record<string, { item: Json; tool: object }> = {
    "a command without its login shell": {
      item: {
        type: "commandExecution",
        command: "/bin/bash -lc 'touch x'",
        commandActions: [{ type: "unknown", command: "touch x" }],
        status: "failed",
        exitCode: 7,
        aggregatedOutput: "no",
      },
      tool: {
        toolName: "shell",
        toolTitle: "touch x",
        kind: "execute",
        toolStatus: "failed",
        exitCode: 7,
        result: "no",
      },
    },
    "a command that only reads": {
      item: { type: "commandExecution", command: "cat a", commandActions: [{ type: "read", command: "cat a" }] },
      tool: { kind: "read", toolTitle: "cat a", toolStatus: "completed" },
    },
    "several commands in one": {
      item: {
        type: "commandExecution",
        command: "ls | grep x",
        commandActions: [
          { type: "listFiles", command: "ls" },
          { type: "search", command: "grep x" },
        ],
      },
      tool: { kind: "search", toolTitle: "ls | grep x" },
    },
    "a declined change": {
      item: { type: "fileChange", changes: [{ path: "/a", kind: { type: "add" }, diff: "x\n" }], status: "declined" },
      tool: { kind: "edit", toolTitle: "Edit /a", toolStatus: "denied", locations: [{ path: "/a" }] },
    },
    "a deletion": {
      item: { type: "fileChange", changes: [{ path: "/a", kind: { type: "delete" }, diff: "x\n" }] },
      tool: { kind: "delete", toolTitle: "Delete /a" },
    },
    "a tool of an MCP server": {
      item: {
        type: "mcpToolCall",
        server: "git",
        tool: "log",
        arguments: { n: 1 },
        result: { content: [{ type: "text", text: "ok" }, { type: "image" }] },
      },
      tool: { toolName: "mcp__git__log", toolTitle: "git: log", toolArgs: { n: 1 }, result: "ok\n[image]" },
    },
    "one that failed": {
      item: { type: "mcpToolCall", server: "git", tool: "log", status: "failed", error: { message: "gone" } },
      tool: { toolStatus: "failed", result: "gone" },
    },
    "a search": { item: { type: "webSearch", query: "x" }, tool: { kind: "fetch", toolTitle: "Search x" } },
  };
  test.each(Object.entries(cases))("%s", (_, { item, tool }) => expect(toolOf(item, true)).toMatchObject(tool));

  test("words are no tool", () => expect(toolOf({ type: "agentMessage", text: "x" }, true)).toBeUndefined());
  test("what has begun runs", () =>
    expect(toolOf({ type: "webSearch", query: "x" }, false)?.toolStatus).toBe("running"));
});

describe("diffsOf", () => {
  const [add, update, move, remove] = diffsOf([
    { path: "/w/a", kind: { type: "add" }, diff: "one\n" },
    { path: "/w/b", kind: { type: "update", move_path: null }, diff: "@@ -1,1 +1,1 @@\n-x\n+y\n" },
    { path: "/w/c", kind: { type: "update", move_path: "/w/d" }, diff: "@@ -1,1 +1,1 @@\n-x\n+y\n\n\nMoved to: /w/d" },
    { path: "/w/e", kind: { type: "delete" }, diff: "one\n" },
  ]);

  test("a new file", () => {
    expect(add).toEqual({
      path: "/w/a",
      change: "create",
      unified: "--- /dev/null\n+++ b/w/a\n@@ -0,0 +1,1 @@\n+one\n",
    });
  });
  test("a changed one", () => {
    const unified = "--- a/w/b\n+++ b/w/b\n@@ -1,1 +1,1 @@\n-x\n+y\n";
    expect(update).toEqual({ path: "/w/b", change: "modify", unified });
  });
  test("a moved one", () => {
    const unified = "--- a/w/c\n+++ b/w/d\n@@ -1,1 +1,1 @@\n-x\n+y\n";
    expect(move).toEqual({ path: "/w/d", oldPath: "/w/c", change: "rename", unified });
  });
  test("a deleted one", () => {
    expect(remove).toMatchObject({ path: "/w/e", change: "delete" });
    expect(remove?.unified).toContain("-one");
  });
});
