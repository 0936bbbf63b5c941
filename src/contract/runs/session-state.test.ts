import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../events.ts";
import { advance, type SessionState, starting } from "./session-state.ts";

const opened: AgentEvent = { type: "session_status", status: "new", sessionId: "s" };
const begin = (turn: string): AgentEvent => ({ type: "turn_started", turn });
const end = (turn: string): AgentEvent => ({ type: "complete", turn, outcome: "completed" });
const ask = (pendingId: string): AgentEvent => ({ type: "question_request", pendingId, questions: [] });
const answered = (pendingId: string): AgentEvent => ({
  type: "request_resolved",
  pendingId,
  outcome: "answered",
  by: "person",
});

const cases: Record<string, [AgentEvent[], SessionState]> = {
  "nothing yet": [[], { phase: "starting" }],
  "opened is idle": [[opened], { phase: "idle" }],
  "a prompt works": [[opened, begin("t1")], { phase: "working", turn: "t1" }],
  "the end of a turn is idle": [[opened, begin("t1"), end("t1")], { phase: "idle" }],
  "two requests at once": [
    [opened, begin("t1"), ask("a"), ask("b")],
    { phase: "waiting", turn: "t1", pendingIds: ["a", "b"] },
  ],
  "answered out of order": [
    [opened, begin("t1"), ask("a"), ask("b"), answered("b")],
    { phase: "waiting", turn: "t1", pendingIds: ["a"] },
  ],
  "both answered": [
    [opened, begin("t1"), ask("a"), ask("b"), answered("b"), answered("a")],
    { phase: "working", turn: "t1" },
  ],
  "a late end of an earlier turn ends nothing": [
    [opened, begin("t1"), end("t1"), begin("t2"), end("t1")],
    { phase: "working", turn: "t2" },
  ],
  "an update of the session is no change": [
    [opened, begin("t1"), { type: "session_status", status: "updated", sessionId: "s2" }],
    { phase: "working", turn: "t1" },
  ],
  "closed is closed": [
    [opened, { type: "session_status", status: "closed", reason: "done" }, begin("t9")],
    { phase: "closed", reason: "done" },
  ],
};

describe("advance", () => {
  test.each(Object.entries(cases))("%s", (_, [events, expected]) => {
    expect(events.reduce(advance, starting)).toEqual(expected);
  });
});
