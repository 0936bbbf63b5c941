import { describe, expect, test } from "vitest";
import { changes } from "./check.ts";
import { compare } from "./compare.ts";
import type { Figure } from "./figure.ts";

const figure = (change: Partial<Figure>): Figure => ({
  name: "run",
  kind: "cost",
  value: 2,
  ratio: 2,
  floor: 1,
  must: 3,
  aim: 2,
  verdict: "ok",
  rounds: 5,
  spread: 0.02,
  aa: 0.01,
  headline: undefined,
  series: undefined,
  ...change,
});

describe("a run of the bench beside a saved one", () => {
  test.each([
    ["the same", { ratio: 2 }, {}, "same"],
    ["a fifth slower is within what is allowed", { ratio: 2.4 }, {}, "same"],
    ["a fifth slower and a little more is within the spread", { ratio: 2.44 }, {}, "same"],
    ["slower than both", { ratio: 2.6 }, {}, "SLOWER"],
    ["slower, but the saved one was unsure of itself", { ratio: 2.6 }, { spread: 0.3 }, "same"],
    ["slower, while the floor disagrees with itself", { ratio: 3, aa: 0.15 }, {}, "inconclusive"],
    ["slower, in rounds that scatter", { ratio: 3, spread: 0.15 }, {}, "inconclusive"],
    ["many times slower, however busy the machine", { ratio: 20, spread: 0.5, aa: 0.3 }, {}, "SLOWER"],
    ["much faster", { ratio: 1 }, {}, "faster"],
    ["a rate is compared by what it costs", { kind: "rate", value: 0.3, ratio: 3.3 }, { kind: "rate" }, "SLOWER"],
    ["a time is compared by its floor: a slower machine is no slower program", { kind: "ms", value: 900 }, {}, "same"],
  ] as const)("%s", (_, now, before, verdict) => {
    expect(changes([figure(now)], [figure(before)])).toMatchObject([{ name: "run", verdict }]);
  });

  test("a figure that wasn't measured then is no change", () => {
    expect(changes([figure({ name: "new" }), figure({})], [figure({})]).map(({ name }) => name)).toEqual(["run"]);
  });

  test("a planted slowdown is found, through measuring and all", async () => {
    const of = (subject: number) =>
      compare({ name: "run", must: 9, aim: 9, rounds: 5, baseline: () => 10, subject: () => subject });
    expect(changes([await of(30)], [await of(20)])).toMatchObject([{ more: 0.5, verdict: "SLOWER" }]);
    expect(changes([await of(21)], [await of(20)])).toMatchObject([{ verdict: "same" }]);
  });
});
