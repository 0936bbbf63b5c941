import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../events.ts";
import {
  advance,
  type OpenRequest,
  type Phase,
  phaseOf,
  type SessionState,
  starting,
  stateAfter,
  waitingFor,
} from "./session-state.ts";

const opened: AgentEvent = { type: "session_status", status: "new", sessionId: "s" };
const closed: AgentEvent = { type: "session_status", status: "closed", reason: "done" };
const prompt: AgentEvent = { type: "user_message", promptId: "p", content: [], delivery: "start" };
const begin = (turn: string): AgentEvent => ({ type: "turn_started", turn });
const end = (turn: string): AgentEvent => ({ type: "complete", turn, outcome: "completed" });
const ask = (pendingId: string, decider?: OpenRequest["decider"]): AgentEvent => ({
  type: "question_request",
  pendingId,
  questions: [],
  ...(decider && { decider }),
});
const answered = (pendingId: string): AgentEvent => ({
  type: "request_resolved",
  pendingId,
  outcome: "answered",
  by: "person",
});
const unsent: AgentEvent = { type: "error", category: "process", message: "send prompt", retryable: true };

/** What a person is told: the phase, the turn, what waits for them. */
const cases: Record<string, [AgentEvent[], [Phase, string?, ...string[]]]> = {
  "nothing yet": [[], ["starting"]],
  "opened is idle": [[opened], ["idle"]],
  "a prompt works": [
    [opened, begin("t1")],
    ["working", "t1"],
  ],
  "a prompt works before its turn has begun": [[opened, prompt], ["working"]],
  "a prompt before the conversation is there waits for it": [[prompt], ["starting"]],
  "a prompt that could not be sent": [[opened, prompt, unsent], ["idle"]],
  "the end of a turn is idle": [[opened, prompt, begin("t1"), end("t1")], ["idle"]],
  "two requests at once": [
    [opened, begin("t1"), ask("a"), ask("b")],
    ["waiting", "t1", "a", "b"],
  ],
  "answered out of order": [
    [opened, begin("t1"), ask("a"), ask("b"), answered("b")],
    ["waiting", "t1", "a"],
  ],
  "both answered": [
    [opened, begin("t1"), ask("a"), ask("b"), answered("b"), answered("a")],
    ["working", "t1"],
  ],
  "what no person decides on waits for nobody": [
    [opened, begin("t1"), ask("a", "rule"), ask("b", "policy")],
    ["working", "t1"],
  ],
  "what a person decides on": [
    [opened, begin("t1"), ask("a", "policy"), ask("b", "person")],
    ["waiting", "t1", "b"],
  ],
  "asked before the conversation is there": [[ask("a")], ["waiting", undefined, "a"]],
  "and answered": [[ask("a"), answered("a")], ["starting"]],
  "asked in the background, after the turn": [
    [opened, begin("t1"), ask("a"), end("t1")],
    ["waiting", undefined, "a"],
  ],
  "a late end of an earlier turn ends nothing": [
    [opened, begin("t1"), end("t1"), begin("t2"), end("t1")],
    ["working", "t2"],
  ],
  "an update of the session is no change": [
    [opened, begin("t1"), { type: "session_status", status: "updated", sessionId: "s2" }],
    ["working", "t1"],
  ],
  "closed is closed": [[opened, begin("t1"), ask("a"), closed, begin("t9")], ["closed"]],
};

const told = (state: SessionState): unknown[] => {
  const ids = waitingFor(state).map(({ pendingId }) => pendingId);
  return state.turn === undefined && ids.length === 0 ? [phaseOf(state)] : [phaseOf(state), state.turn, ...ids];
};
const fold = (events: readonly AgentEvent[]) =>
  events.reduce<SessionState>((state, event) => advance(state, event), starting);

describe("advance", () => {
  test.each(Object.entries(cases))("%s", (_, [events, expected]) => {
    expect(told(fold(events))).toEqual(expected);
  });
});

describe("the end of a log alone", () => {
  test.each(Object.entries(cases))("all of it says the same: %s", (name, [events, expected]) => {
    // What asks in the background is known only to who reads on, and a late end is in no log of ours.
    if (name.includes("background") || name.includes("late")) return;
    expect(told(stateAfter(events, true))).toEqual(expected);
  });

  test.each<[string, AgentEvent[], [Phase, string?, ...string[]]]>([
    ["nothing that counts", [], ["working", ""]],
    ["a request", [ask("a")], ["waiting", "", "a"]],
    ["the end of a turn", [ask("a"), end("t1")], ["idle"]],
    ["the next one", [end("t1"), prompt, begin("t2")], ["working", "t2"]],
    ["closed", [ask("a"), closed], ["closed"]],
  ])("a part of it: %s", (_, events, expected) => {
    expect(told(stateAfter(events, false))).toEqual(expected);
  });
});
