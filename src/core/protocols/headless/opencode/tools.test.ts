import { describe, expect, test } from "vitest";
import { eventsWithin } from "../../../../../test/support/headless-scene.ts";
import { translateAll } from "../../../../../test/support/transcript.ts";
import type { Json } from "../../read.ts";
import { opencodeTranslator } from "./translate.ts";

describe("opencode", () => {
  const start = { type: "step_start", sessionID: "ses", part: {} };
  const tool = (tool: string, state: Json, id = "prt_1") => ({
    type: "tool_use",
    sessionID: "ses",
    part: { id, tool, callID: "c", state },
  });
  const text = (text: string) => ({ type: "text", sessionID: "ses", part: { id: "prt_t", text } });

  test("a part that comes again yields only what is new", () => {
    const events = eventsWithin(
      opencodeTranslator,
      start,
      text("Hello"),
      text("Hello, boat"),
      text("Hello, boat"),
      text("Ahoy"),
    );
    expect(events).toMatchObject([{ text: "Hello" }, { text: ", boat" }, { text: "Ahoy", replace: true }]);
    expect(events[1]).not.toHaveProperty("replace");
  });

  test("a call that is told while it runs is updated, not repeated", () => {
    const running = { status: "running", input: { command: "ls" } };
    const done = { status: "completed", input: { command: "ls" }, output: "a\n", metadata: { exit: 3 } };
    expect(eventsWithin(opencodeTranslator, start, tool("bash", running), tool("bash", done))).toMatchObject([
      { type: "tool_call", kind: "execute", toolTitle: "ls", toolStatus: "running" },
      { type: "tool_update", toolStatus: "completed", exitCode: 3, result: "a\n" },
    ]);
  });

  test("edits carry opencode's own diff, writes the whole text", () => {
    const diff =
      "Index: /w/a.txt\n===================================================================\n--- /w/a.txt\n+++ /w/a.txt\n@@ -1,1 +1,1 @@\n-hi\n+ho\n";
    const edit = {
      status: "completed",
      input: { filePath: "/w/a.txt", oldString: "hi", newString: "ho" },
      metadata: { diff },
    };
    const write = (exists: boolean) => ({
      status: "completed",
      input: { filePath: "/w/n", content: "x\n" },
      metadata: { exists },
    });
    const events = eventsWithin(
      opencodeTranslator,
      start,
      tool("edit", edit, "1"),
      tool("write", write(false), "2"),
      tool("write", write(true), "3"),
    );
    const diffs = events.flatMap((event) => (event.type === "tool_call" ? (event.diffs ?? []) : []));
    expect(diffs.map(({ path, change }) => [path, change])).toEqual([
      ["/w/a.txt", "modify"],
      ["/w/n", "create"],
      ["/w/n", "modify"],
    ]);
    expect(diffs[0]?.unified).toBe("--- /w/a.txt\n+++ /w/a.txt\n@@ -1,1 +1,1 @@\n-hi\n+ho\n");
  });

  test("kinds, and the plan", () => {
    const done = (input: Json): Json => ({ status: "completed", input });
    const todos = [{ content: "a", status: "pending", priority: "high" }];
    const events = eventsWithin(
      opencodeTranslator,
      start,
      tool("read", done({ filePath: "/w/a" }), "1"),
      tool("grep", done({ pattern: "ho" }), "2"),
      tool("webfetch", done({ url: "http://x" }), "3"),
      tool("task", done({ description: "look around", prompt: "…" }), "4"),
      tool("todowrite", done({ todos }), "5"),
      tool("docs_find", { status: "error", input: {}, error: "boom" }, "6"),
    );
    expect(
      events.map((event) =>
        event.type === "tool_call" ? [event.kind, event.toolTitle, event.toolStatus] : event.type,
      ),
    ).toEqual([
      ["read", "/w/a", "completed"],
      ["search", "ho", "completed"],
      ["fetch", "http://x", "completed"],
      ["subagent", "look around", "completed"],
      ["todo", "todowrite", "completed"],
      "plan",
      ["other", "docs_find", "failed"],
    ]);
  });

  test("several steps add up, with the price it names; a cut answer says so", () => {
    const finish = (reason: string) => ({
      type: "step_finish",
      sessionID: "ses",
      part: { reason, cost: 0.25, tokens: { input: 1, output: 2, reasoning: 3, cache: { read: 4, write: 5 } } },
    });
    const frames = [start, finish("tool-calls"), start, finish("length")].map(
      (message) => ({ dir: "received", message }) as const,
    );
    const events = translateAll(opencodeTranslator, frames);
    expect(events.at(-1)).toEqual({
      type: "complete",
      turn: "t1",
      outcome: "completed",
      stopReason: "max_tokens",
      usage: { input: 2, output: 10, cacheRead: 8, cacheWrite: 10, reasoning: 6, costUsd: 0.5, costSource: "reported" },
    });
  });

  test("a context overflow isn't the end: opencode compacts and goes on", () => {
    const overflow = {
      type: "error",
      sessionID: "ses",
      error: { name: "ContextOverflowError", data: { message: "too long" } },
    };
    const finish = { type: "step_finish", sessionID: "ses", part: { reason: "stop" } };
    const frames = [start, overflow, start, finish].map((message) => ({ dir: "received", message }) as const);
    expect(translateAll(opencodeTranslator, frames).slice(2)).toMatchObject([
      { type: "error", category: "context" },
      { type: "complete", outcome: "completed" },
    ]);
  });
});
