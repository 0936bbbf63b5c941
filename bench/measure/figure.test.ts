import { describe, expect, test } from "vitest";
import { judge, quantile, type Rounds, sumUp } from "./figure.ts";

const rounds = (first: number[], subject: number[], again = first): Rounds => ({ first, subject, again });

describe("what rounds come to", () => {
  test("a cost is a multiple of the floor, a rate a share of it, a time its own", () => {
    const all = rounds([10, 10, 10], [20, 20, 20]);
    expect(sumUp(all, "cost")).toEqual({ value: 2, ratio: 2, floor: 10, spread: 0, aa: 0 });
    expect(sumUp(all, "rate")).toMatchObject({ value: 0.5, ratio: 2 });
    expect(sumUp(all, "ms")).toMatchObject({ value: 20, ratio: 2 });
  });

  test("one round in which the machine did something else changes nothing", () => {
    expect(sumUp(rounds([10, 10, 90, 10, 10], [20, 20, 20, 300, 20]), "cost")).toMatchObject({ value: 2, spread: 0 });
  });

  test("a floor that isn't itself the second time is doubt", () => {
    expect(sumUp(rounds([10, 10], [20, 20], [13, 13]), "cost").aa).toBeCloseTo(0.3);
  });

  test("rounds that scatter are doubt, and more rounds are less of it", () => {
    const few = sumUp(rounds([10, 10, 10, 10], [10, 20, 30, 40]), "cost").spread;
    const many = sumUp(
      rounds(
        [10],
        Array.from({ length: 100 }, (_, n) => [10, 20, 30, 40][n % 4] ?? 0),
      ),
      "cost",
    ).spread;
    expect(few).toBeGreaterThan(0.4);
    expect(many).toBeLessThan(few / 3);
  });

  test("a quantile lies between two values where it must", () => {
    expect([0, 0.5, 0.75, 1].map((share) => quantile([4, 1, 3, 2], share))).toEqual([1, 2.5, 3.25, 4]);
  });
});

describe("verdicts", () => {
  const cost = { kind: "cost", must: 1.5, aim: 1.2 } as const;
  const rate = { kind: "rate", must: 0.5, aim: 0.8 } as const;
  const quiet = { spread: 0.02, aa: 0.01 };
  test.each([
    ["a cost below its aim", { value: 1.2, ...quiet }, cost, "aim reached"],
    ["a cost below its must", { value: 1.5, ...quiet }, cost, "ok"],
    ["a cost above it", { value: 1.51, ...quiet }, cost, "MISSED"],
    ["a rate above its aim", { value: 0.9, ...quiet }, rate, "aim reached"],
    ["a rate below its must", { value: 0.4, ...quiet }, rate, "MISSED"],
    ["a miss while the floor disagrees with itself", { value: 3, spread: 0, aa: 0.2 }, cost, "inconclusive"],
    ["a miss in rounds that scatter", { value: 3, spread: 0.2, aa: 0 }, cost, "inconclusive"],
    ["a good one on a busy machine", { value: 1.1, spread: 0.5, aa: 0.5 }, cost, "aim reached"],
  ] as const)("%s", (_, found, limits, verdict) => expect(judge(found, limits)).toBe(verdict));
});
