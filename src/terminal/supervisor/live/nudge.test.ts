import { describe, expect, test } from "vitest";
import { beginNudging, type Nudging, nudged, seen } from "./nudge.ts";

type Look = [at: number, state: string, delivered?: boolean, seq?: number];

/** Plays what is seen, second by second, and returns when the text was given. */
function play(...looks: Look[]): { sent: number[]; end: Nudging } {
  let nudging = beginNudging("go", 0);
  const sent: number[] = [];
  for (const [at, state, delivered = true, seq = 1] of looks) {
    const view = { state, since_seq: seq };
    const turn = seen(nudging, view, at * 1000);
    nudging = turn.nudging;
    if (!turn.send) continue;
    sent.push(at);
    nudging = nudged(nudging, delivered, view, at * 1000);
  }
  return { sent, end: nudging };
}

describe("the first prompt", () => {
  test.each<[string, Look[], number[], string]>([
    [
      "given once idle",
      [
        [1, "starting"],
        [5, "idle"],
        [6, "working"],
      ],
      [5],
      "taken",
    ],
    [
      "not given when it works already",
      [
        [1, "starting"],
        [5, "working"],
        [9, "idle"],
      ],
      [],
      "it works already",
    ],
    [
      "tried again when it was refused",
      [
        [1, "idle", false],
        [2, "idle", false],
        [3, "idle"],
        [4, "working"],
      ],
      [1, 2, 3],
      "taken",
    ],
    [
      "tried again when it had no effect",
      [
        [1, "idle"],
        [10, "idle"],
        [17, "idle"],
        [18, "idle"],
        [19, "working"],
      ],
      [1, 18],
      "taken",
    ],
    [
      "a turn too short to be seen counts",
      [
        [1, "idle"],
        [2, "idle", true, 3],
      ],
      [1],
      "taken",
    ],
    [
      "not while it asks something",
      [
        [1, "prompt"],
        [50, "prompt"],
        [60, "idle"],
        [61, "working"],
      ],
      [60],
      "taken",
    ],
    [
      "given up after two minutes",
      [
        [1, "starting"],
        [121, "idle"],
      ],
      [],
      "gave up",
    ],
    [
      "given up after five tries",
      [1, 2, 3, 4, 5, 6, 7].map((at): Look => [at, "idle", false]),
      [1, 2, 3, 4, 5],
      "gave up",
    ],
  ])("%s", (_, looks, sent, how) => {
    const result = play(...looks);
    expect(result.sent).toEqual(sent);
    expect(result.end).toEqual({ phase: "over", how });
  });

  test("none wanted", () => {
    expect(beginNudging("", 0)).toEqual({ phase: "over", how: "none wanted" });
  });
});
