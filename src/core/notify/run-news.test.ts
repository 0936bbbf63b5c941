import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { AgentEvent, EventOf } from "../../contract/events.ts";
import { blankRunInfo, type RunInfo } from "../../contract/runs/run.ts";
import { type NotifyEvent, type NotifyMessage, notifyEvents } from "./message.ts";
import { RunNews } from "./run-news.ts";

const run = { id: "r1", handle: 12, project: "web", task: "fix", agent: "claude" };

interface ListenOptions {
  events?: readonly NotifyEvent[];
  endsUnnoticed?: boolean;
}

function listen({ events = notifyEvents, endsUnnoticed = false }: ListenOptions = {}) {
  const clock = new FakeClock();
  const told: NotifyMessage[] = [];
  const news = new RunNews({
    run,
    events: new Set(events),
    requestAfterMs: 5000,
    endsUnnoticed,
    clock,
    tell: (message) => told.push(message),
  });
  return { news, clock, told };
}

const asks = (pendingId: string, permissionTitle = "Run npm test?"): EventOf<"permission_request"> => ({
  type: "permission_request",
  pendingId,
  permissionTitle,
  source: "protocol",
  actionType: "execute",
  actionDetails: {},
  permissionOptions: [],
});
const resolved = (pendingId: string): AgentEvent => ({
  type: "request_resolved",
  pendingId,
  outcome: "allowed",
  by: "person",
});

const ended = (seconds: number, fields: Partial<RunInfo>): RunInfo => ({
  ...blankRunInfo,
  start_time: "2026-01-01T00:00:00.000Z",
  end_time: new Date(Date.parse("2026-01-01T00:00:00.000Z") + seconds * 1000).toISOString(),
  ...fields,
});

describe("a request", () => {
  test("that stays open is told once, with what to type", () => {
    const { news, clock, told } = listen();
    news.heard([asks("p0")]);
    clock.advance(4999);
    expect(told).toEqual([]);
    clock.advance(1);
    clock.advance(60_000);
    expect(told).toMatchObject([
      { event: "request", title: "claude needs you", text: "Run npm test?", run, answer: "cox answer r12.p0 allow" },
    ]);
  });

  test("that is answered in time is not told", () => {
    const { news, clock, told } = listen();
    news.heard([asks("p0"), asks("p1")]);
    news.heard([resolved("p0")]);
    clock.advance(5000);
    expect(told.map(({ answer }) => answer)).toEqual(["cox answer r12.p1 allow"]);
  });

  test("that no person decides on is not told, however long it takes", () => {
    const { news, clock, told } = listen();
    news.heard([
      { ...asks("p0"), decider: "policy" },
      { ...asks("p1"), decider: "rule" },
    ]);
    clock.advance(60_000);
    expect(told).toEqual([]);
  });

  test("of a run that has ended is not told", () => {
    const { news, clock, told } = listen();
    news.heard([asks("p0")]);
    news.ended(ended(10, { status: "completed" }));
    clock.advance(5000);
    expect(told).toEqual([]);
  });

  test("is told with all that hides in it, and its id can't become a command", () => {
    const { news, clock, told } = listen();
    news.heard([asks("p0; rm -rf ~", `\x1b]0;x\x07rm\u202e -rf\n\n/ ${"x".repeat(500)}`)]);
    clock.advance(5000);
    expect(told[0]?.answer).toBe("cox answer 'r12.p0; rm -rf ~' allow");
    expect(told[0]?.text).toMatch(/^\\x1b\]0;x\\x07rm\\u\{202e\} -rf \/ x+…$/);
    expect(told[0]?.text.length).toBe(300);
  });

  test("of questions is told with the first of them", () => {
    const { news, clock, told } = listen();
    news.heard([
      { type: "question_request", pendingId: "q", questions: [{ id: "1", text: "Which?", answer: "text" }] },
    ]);
    clock.advance(5000);
    expect(told).toMatchObject([{ text: "Which?", answer: "cox answer r12.q" }]);
  });
});

describe("the end of a run", () => {
  const cases: Record<string, [number, Partial<RunInfo>, string[]]> = {
    "failed, however soon": [1, { status: "failed", reason: "exit_code", error_summary: "it broke" }, ["failed"]],
    "completed after long": [61, { status: "completed" }, ["completed"]],
    "completed at once": [59, { status: "completed" }, []],
    "stopped by somebody": [100, { status: "failed", reason: "stopped" }, []],
  };
  test.each(Object.entries(cases))("%s", (_, [seconds, fields, expected]) => {
    const { news, told } = listen();
    news.ended(ended(seconds, fields));
    expect(told.map(({ event }) => event)).toEqual(expected);
  });

  test("says why", () => {
    const { news, told } = listen();
    news.ended(ended(1, { status: "failed", reason: "exit_code", error_summary: "it broke" }));
    expect(told).toMatchObject([{ title: "claude has failed", text: "it broke", answer: "cox show r12" }]);
  });

  test("that somebody else waits for is not told", () => {
    const { news, told } = listen({ endsUnnoticed: true });
    news.ended(ended(100, { status: "failed" }));
    expect(told).toEqual([]);
  });
});

test("a budget that is nearly used up is told", () => {
  const { news, told } = listen();
  news.heard([{ type: "notice", code: "budget_near", text: "this run has spent $0.80 of $1.00" }]);
  news.heard([{ type: "notice", code: "retrying", text: "again" }]);
  expect(told).toMatchObject([{ event: "budget", text: "this run has spent $0.80 of $1.00" }]);
});

test("only what is wanted is told", () => {
  const { news, clock, told } = listen({ events: ["completed"] });
  news.heard([asks("p0"), { type: "notice", code: "budget_near", text: "x" }]);
  clock.advance(5000);
  news.ended(ended(100, { status: "completed" }));
  expect(told.map(({ event }) => event)).toEqual(["completed"]);
});
