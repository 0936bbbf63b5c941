import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import { phaseOf, waitingFor } from "../../../contract/sessions/session-state.ts";
import { EventLog } from "./event-log.ts";
import { recentState } from "./recent-state.ts";

const opened: AgentEvent = { type: "session_status", status: "new", sessionId: "s" };
const begin = (turn: string): AgentEvent => ({ type: "turn_started", turn });
const end = (turn: string): AgentEvent => ({ type: "complete", turn, outcome: "completed" });
const ask: AgentEvent = { type: "question_request", pendingId: "a", questions: [], decider: "person" };
const said: AgentEvent = { type: "message_chunk", messageId: "m", text: '"type":"complete"' };
const words = (count: number): AgentEvent[] => Array.from({ length: count }, () => said);

test.each<[string, AgentEvent[], string, number]>([
  ["nothing yet", [], "starting", 0],
  ["before the first turn", [opened], "idle", 0],
  ["words are no end", [opened, begin("1"), ...words(100)], "working", 0],
  ["a request before many words", [opened, begin("1"), ask, ...words(1000)], "waiting", 1],
  ["a request further back than anybody looks", [opened, begin("1"), ask, ...words(6000)], "working", 0],
  ["between turns", [opened, begin("1"), ...words(3), end("1")], "idle", 0],
  ["the next turn", [opened, begin("1"), end("1"), begin("2"), said], "working", 0],
])("the state from the end of the log: %s", (_, events, phase, requests) => {
  const path = join(temporaryFolder(), "events.jsonl");
  const log = new EventLog(path);
  log.append(events, "2026-01-01T00:00:00.000Z");
  log.close();
  const state = recentState(path);
  expect([phaseOf(state), waitingFor(state).length]).toEqual([phase, requests]);
});
