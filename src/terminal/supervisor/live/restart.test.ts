import { describe, expect, test } from "vitest";
import { afterLife, type Life, mayResume, NO_TALLY, type Tally, waitBefore } from "./restart.ts";

const life: Life = { code: 1, elapsedMs: 1000, reached: false, resumed: undefined, excused: false };
const long = { elapsedMs: 3_600_000, reached: true };

describe("after an end", () => {
  test.each<[string, Tally, Partial<Life>, Tally, string?]>([
    ["a failure counts", NO_TALLY, {}, { restarts: 1, retired: 0 }],
    ["a clean end counts as well", { restarts: 2, retired: 0 }, { code: 0 }, { restarts: 3, retired: 0 }],
    ["a healthy life resets", { restarts: 7, retired: 1 }, long, { restarts: 1, retired: 0 }],
    [
      "a long wait at the door is not healthy",
      { restarts: 7, retired: 0 },
      { elapsedMs: 60_000 },
      { restarts: 8, retired: 0 },
    ],
    [
      "a short life is not healthy",
      { restarts: 7, retired: 0 },
      { elapsedMs: 29_000, reached: true },
      { restarts: 8, retired: 0 },
    ],
    ["a log it failed with is put aside", NO_TALLY, { resumed: "log" }, { restarts: 1, retired: 1 }, "log"],
    ["a log it lived long with is not", NO_TALLY, { ...long, resumed: "log" }, { restarts: 1, retired: 0 }],
    ["nor one it ended well with", NO_TALLY, { code: 0, resumed: "log" }, { restarts: 1, retired: 0 }],
    [
      "parking doesn't count",
      { restarts: 3, retired: 1 },
      { excused: true, resumed: "log" },
      { restarts: 3, retired: 1 },
    ],
  ])("%s", (_, before, given, tally, retire) => {
    expect(afterLife(before, { ...life, ...given }, 10)).toEqual({ tally, retire, giveUp: false });
  });

  test("ten in a row are enough", () => {
    let tally = NO_TALLY;
    for (let n = 1; n <= 10; n += 1) {
      const verdict = afterLife(tally, life, 10);
      tally = verdict.tally;
      expect(verdict.giveUp).toBe(n === 10);
    }
  });

  test("after two logs that were no good it begins anew; a healthy life later it may resume again", () => {
    const twice = [1, 2].reduce((tally) => afterLife(tally, { ...life, resumed: "log" }, 10).tally, NO_TALLY);
    expect(mayResume(twice)).toBe(false);
    expect(mayResume(afterLife(twice, { ...life, ...long }, 10).tally)).toBe(true);
  });

  test("the wait grows, but never beyond what a pod's probes allow", () => {
    const waits = [1, 2, 3, 4, 5, 9].map((restarts) => waitBefore({ restarts, retired: 0 }, () => 1));
    expect(waits).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(waitBefore({ restarts: 9, retired: 0 }, () => 1, 2000)).toBe(2000); // as somebody set it
  });
});
