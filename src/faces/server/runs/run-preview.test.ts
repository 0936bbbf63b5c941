import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { previewOf } from "./run-preview.ts";

function look(events: readonly object[], live = true) {
  const path = join(temporaryFolder(), "events.jsonl");
  writeFileSync(path, events.map((event, i) => `\n${JSON.stringify({ seq: i + 1, at: "t", ...event })}\n`).join(""));
  return previewOf(path, live);
}

const turn = { type: "turn_started", turn: "1" };
const said = (text: string, messageId = "m") => ({ type: "message_chunk", messageId, text });
const asks = (pendingId: string) => ({ type: "permission_request", pendingId });
const end = { type: "complete", turn: "1", outcome: "completed" };

describe("what a list says of a run", () => {
  test.each([
    ["that has said nothing", [], { phase: "starting", requests: 0, lastLine: "" }],
    [
      "that works",
      [turn, said("Hello "), said("there\nsecond ")],
      { phase: "working", requests: 0, lastLine: "second" },
    ],
    [
      "that uses a tool",
      [turn, said("x"), { type: "tool_call", toolTitle: "ls -la" }],
      { phase: "working", requests: 0, lastLine: "ls -la" },
    ],
    ["that waits twice", [turn, asks("a"), asks("b")], { phase: "waiting", requests: 2, lastLine: "" }],
    [
      "whose request was answered",
      [turn, asks("a"), { type: "request_resolved", pendingId: "a" }],
      { phase: "working", requests: 0, lastLine: "" },
    ],
    ["between turns", [turn, said("done"), end], { phase: "idle", requests: 0, lastLine: "done" }],
    [
      "with a message written anew",
      [turn, said("draft"), { ...said("final"), replace: true }],
      { phase: "working", requests: 0, lastLine: "final" },
    ],
  ])("%s", (_, events, expected) => {
    expect(look(events)).toEqual(expected);
  });

  test("that has ended", () => {
    expect(look([turn, asks("a"), said("bye"), end], false)).toEqual({ phase: "closed", requests: 0, lastLine: "bye" });
  });
});
