import { describe, expect, test } from "vitest";
import { type Ending, endingOf, type Seen } from "./exit-monitor.ts";

const MINUTE = 60_000;
const usual: Seen = {
  state: "idle",
  now: 0,
  parkedUntil: undefined,
  needsLogin: false,
  exitedAt: undefined,
  stopRequested: false,
};

describe("whether the host shall end", () => {
  test.each<[string, Partial<Seen>, Ending["do"], boolean?]>([
    ["it works", { state: "working" }, "go on"],
    ["it has nothing to do", {}, "go on"],
    ["it has ended", { state: "exited" }, "end", false],
    ["it waits for a limit", { state: "error", parkedUntil: MINUTE }, "hold"],
    ["it ended, but a limit is not over", { state: "exited", parkedUntil: MINUTE }, "hold"],
    ["the limit is over", { state: "idle", parkedUntil: MINUTE, now: MINUTE }, "end", true],
    ["it ended because nobody is signed in", { state: "exited", needsLogin: true, exitedAt: 0, now: MINUTE }, "hold"],
    ["for long: another try", { state: "exited", needsLogin: true, exitedAt: 0, now: 5 * MINUTE }, "end", true],
    ["nobody is signed in, but it goes on", { state: "idle", needsLogin: true }, "go on"],
    ["asked to stop, at work", { state: "working", stopRequested: true }, "go on"],
    ["asked to stop, with nothing to do", { stopRequested: true }, "end", true],
    ["asked to stop while parked", { state: "error", parkedUntil: MINUTE, stopRequested: true }, "end", true],
    ["asked to stop, but it asks something itself", { state: "prompt", stopRequested: true }, "go on"],
  ])("%s: %s", (_, seen, verdict, excused) => {
    const ending = endingOf({ ...usual, ...seen });
    expect(ending.do).toBe(verdict);
    if (ending.do === "end") expect(ending.excused).toBe(excused);
  });
});
