import { describe, expect, test } from "vitest";
import { eventsWithin } from "../../../../../test/support/headless-scene.ts";
import type { Json } from "../../read.ts";
import { geminiTranslator } from "./translate.ts";

describe("gemini", () => {
  const init = { type: "init", session_id: "s" };
  const use = (tool_name: string, parameters: Json) => ({
    type: "tool_use",
    tool_name,
    tool_id: tool_name,
    parameters,
  });

  test("tools by kind, with a title for people", () => {
    const events = eventsWithin(
      geminiTranslator,
      init,
      use("run_shell_command", { command: "ls", description: "list" }),
      use("read_file", { file_path: "a.txt" }),
      use("glob", { pattern: "*" }),
      use("web_fetch", { prompt: "http://127.0.0.1/x" }),
      use("invoke_agent", { agent_name: "a", prompt: "look" }),
      use("mcp_docs_find", { path: 7 }),
    );
    const calls = events.filter((event) => event.type === "tool_call");
    expect(calls.map((event) => [event.kind, event.toolTitle])).toEqual([
      ["execute", "ls"],
      ["read", "a.txt"],
      ["search", "*"],
      ["fetch", "http://127.0.0.1/x"],
      ["subagent", "look"],
      ["other", "mcp_docs_find"],
    ]);
  });

  test("an edit shows what it changes", () => {
    const events = eventsWithin(
      geminiTranslator,
      init,
      use("write_file", { file_path: "new.txt", content: "hi\n" }),
      use("replace", { file_path: "/w/a.txt", old_string: "hi\n", new_string: "ho\n" }),
      use("replace", { file_path: "b.txt", old_string: "", new_string: "ho\n" }),
    );
    const diffs = events.flatMap((event) => (event.type === "tool_call" ? (event.diffs ?? []) : []));
    expect(diffs).toEqual([
      { path: "new.txt", change: "create", unified: "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+hi\n" },
      { path: "/w/a.txt", change: "modify", unified: "--- a/w/a.txt\n+++ b/w/a.txt\n@@ -1,1 +1,1 @@\n-hi\n+ho\n" },
      { path: "b.txt", change: "create", unified: expect.stringContaining("+ho") },
    ]);
  });

  test("a refused tool is denied, the to-do list is a plan, a warning is a notice", () => {
    const todos = [
      { description: "row", status: "in_progress" },
      { description: "rest", status: "someday" },
    ];
    const events = eventsWithin(
      geminiTranslator,
      init,
      use("write_todos", { todos }),
      {
        type: "tool_result",
        tool_id: "write_todos",
        status: "error",
        error: { type: "policy_violation", message: "no" },
      },
      { type: "error", severity: "warning", message: "Loop detected, stopping execution" },
      { type: "error", severity: "error", message: "Maximum session turns exceeded" },
    );
    expect(events).toMatchObject([
      { type: "tool_call", kind: "todo" },
      {
        type: "plan",
        entries: [
          { text: "row", status: "in_progress" },
          { text: "rest", status: "pending" },
        ],
      },
      { type: "tool_update", toolStatus: "denied", result: "no" },
      { type: "notice", code: "agent_warning" },
      { type: "error", category: "other" },
    ]);
  });

  test("what is said after a tool is another message", () => {
    const say = (content: string) => ({ type: "message", role: "assistant", content, delta: true });
    const events = eventsWithin(geminiTranslator, init, say("a"), say("a"), use("glob", {}), say("b"));
    const said = events.flatMap((event) => (event.type === "message_chunk" ? [[event.messageId, event.text]] : []));
    expect(said).toEqual([
      ["t1.m1", "a"],
      ["t1.m1", "a"],
      ["t1.m2", "b"],
    ]);
  });
});
