import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { nothingOpen } from "../../contract/sessions/open-items.ts";
import type { OpenRequest } from "../../contract/sessions/session-state.ts";
import { Silence, SilenceNotice, silenceLimit } from "./silence.ts";

const working = { ...nothingOpen, turn: "t1" };
const asked: OpenRequest = { type: "question_request", pendingId: "p", questions: [] };

function scene() {
  const clock = new FakeClock();
  const lost: string[] = [];
  return { clock, lost, silence: new Silence(clock, 1000, (turn) => lost.push(turn)) };
}

describe("silence", () => {
  test("is too long when nothing was heard since the last word", () => {
    const { clock, lost, silence } = scene();
    silence.heard(working);
    clock.advance(600);
    silence.heard(working);
    clock.advance(999);
    expect(lost).toEqual([]);
    clock.advance(1);
    expect(lost).toEqual(["t1"]);
  });

  test.each([
    ["no turn", nothingOpen],
    ["a tool runs", { ...working, tools: new Set(["tool"]) }],
    ["a person is asked", { ...working, requests: new Map([["p", asked]]) }],
  ])("is no fault of the agent's: %s", (_, open) => {
    const { clock, lost, silence } = scene();
    silence.heard(working);
    clock.advance(500);
    silence.heard(open);
    clock.advance(100_000);
    expect(lost).toEqual([]);
    silence.heard(working); // and counts again from when the agent's turn it is
    clock.advance(999);
    expect(lost).toEqual([]);
    clock.advance(1);
    expect(lost).toEqual(["t1"]);
  });

  test("after the end nobody listens", () => {
    const { clock, lost, silence } = scene();
    silence.heard(working);
    silence.end();
    clock.advance(100_000);
    expect(lost).toEqual([]);
  });
});

test.each([
  ["acp", {}, 600_000],
  ["opencode", {}, undefined],
  ["opencode", { silence_deadline_ms: 5000 }, 5000],
  ["claude-code", { silence_deadline_ms: "soon" }, 600_000],
])("the limit of %s with %o is %s", (protocol, config, limit) => {
  expect(silenceLimit(protocol, config)).toBe(limit);
});

describe("a notice of silence", () => {
  function noticing() {
    const clock = new FakeClock();
    const turns: (string | undefined)[] = [];
    return { clock, turns, notice: new SilenceNotice(clock, ({ turn }) => turns.push(turn)) };
  }
  const FIVE_MINUTES = 5 * 60_000;

  test("comes once in a turn, also while a tool runs, and again in the next", () => {
    const { clock, turns, notice } = noticing();
    notice.heard({ ...working, tools: new Set(["tool"]) });
    clock.advance(FIVE_MINUTES - 1);
    expect(turns).toEqual([]);
    clock.advance(1);
    expect(turns).toEqual(["t1"]);
    notice.heard(working);
    clock.advance(FIVE_MINUTES * 3);
    expect(turns).toEqual(["t1"]);
    notice.heard({ ...working, turn: "t2" });
    clock.advance(FIVE_MINUTES);
    expect(turns).toEqual(["t1", "t2"]);
  });

  test("doesn't come while a person is asked, nor between turns", () => {
    const { clock, turns, notice } = noticing();
    notice.heard({ ...working, requests: new Map([["p", asked]]) });
    clock.advance(FIVE_MINUTES * 2);
    notice.heard(nothingOpen);
    clock.advance(FIVE_MINUTES * 2);
    expect(turns).toEqual([]);
  });
});
