import { describe, expect, test } from "vitest";
import { eventsWithin } from "../../../../../test/support/headless-scene.ts";
import type { Json } from "../../read.ts";
import { bareCommand } from "./items.ts";
import { codexExecTranslator } from "./translate.ts";

describe("codex exec", () => {
  const started = { type: "turn.started" };
  const item = (type: "started" | "updated" | "completed", fields: Json) => ({
    type: `item.${type}`,
    item: { id: "item_2", ...fields },
  });

  test("a command that fails keeps its output and exit code", () => {
    const command = "/bin/bash -lc 'ls; exit 3'";
    const run = { type: "command_execution", command };
    const lines = [
      item("started", { ...run, aggregated_output: "", exit_code: null, status: "in_progress" }),
      item("completed", { ...run, aggregated_output: "new.txt\n", exit_code: 3, status: "failed" }),
    ];
    expect(eventsWithin(codexExecTranslator, started, ...lines)).toMatchObject([
      { type: "tool_call", toolCallId: "t1.item_2", kind: "execute", toolTitle: "ls; exit 3", toolStatus: "running" },
      { type: "tool_update", toolCallId: "t1.item_2", toolStatus: "failed", exitCode: 3, result: "new.txt\n" },
    ]);
  });

  test("a file change names its files", () => {
    const change = { type: "file_change", changes: [{ path: "/w/new.txt", kind: "add" }] };
    const lines = [
      item("started", { ...change, status: "in_progress" }),
      item("completed", { ...change, status: "completed" }),
    ];
    expect(eventsWithin(codexExecTranslator, started, ...lines)).toMatchObject([
      {
        type: "tool_call",
        kind: "edit",
        toolTitle: "/w/new.txt",
        locations: [{ path: "/w/new.txt" }],
        toolStatus: "running",
      },
      { type: "tool_update", toolStatus: "completed" },
    ]);
  });

  test("what comes completed at once is one call", () => {
    const events = eventsWithin(
      codexExecTranslator,
      started,
      item("completed", { type: "file_change", changes: [{ path: "/w/a", kind: "delete" }], status: "failed" }),
      item("completed", { type: "web_search", query: "how to row" }),
      item("completed", { type: "mcp_tool_call", server: "s", tool: "t", error: { message: "no" }, status: "failed" }),
      item("completed", { type: "command_execution", command: "rm x", status: "declined" }),
    );
    expect(events).toMatchObject([
      { type: "tool_call", kind: "delete", toolStatus: "failed" },
      { type: "tool_call", kind: "search", toolTitle: "how to row", toolStatus: "completed" },
      { type: "tool_call", kind: "other", toolName: "s.t", result: "no", toolStatus: "failed" },
      { type: "tool_call", kind: "execute", toolStatus: "denied" },
    ]);
  });

  test("the to-do list is the plan, each time it changes", () => {
    const list = (done: boolean) => ({
      type: "todo_list",
      items: [
        { text: "row", completed: done },
        { text: "rest", completed: false },
      ],
    });
    const events = eventsWithin(
      codexExecTranslator,
      started,
      item("started", list(false)),
      item("updated", list(true)),
    );
    expect(events.map((event) => event.type === "plan" && event.entries.map((entry) => entry.status))).toEqual([
      ["pending", "pending"],
      ["completed", "pending"],
    ]);
  });

  test.each([
    ["/bin/bash -lc 'echo hi > f'", "echo hi > f"],
    ["bash -lc ls", "ls"],
    ['/usr/bin/zsh -lc "echo \\"it\'s\\" \\$HOME"', 'echo "it\'s" $HOME'],
    ["/bin/bash -lc 'a' 'b'", "/bin/bash -lc 'a' 'b'"],
    ["git status", "git status"],
  ])("%s", (command, bare) => {
    expect(bareCommand(command)).toBe(bare);
  });
});
