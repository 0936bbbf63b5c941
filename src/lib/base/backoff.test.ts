import { expect, test } from "vitest";
import { backoffMs } from "./backoff.ts";

const plan = { base: 1000, factor: 2, cap: 10_000 };

test.each([
  // attempt, least (random 0), middle (random 0.5), most (random → 1)
  [1, 500, 750, 1000],
  [2, 1000, 1500, 2000],
  [3, 2000, 3000, 4000],
  [4, 4000, 6000, 8000],
  [5, 5000, 7500, 10_000],
  [6, 5000, 7500, 10_000],
  [5000, 5000, 7500, 10_000],
  [0, 500, 750, 1000],
])("attempt %i waits %i to %3$i ms", (attempt, least, middle, most) => {
  expect(backoffMs(attempt, plan, () => 0)).toBe(least);
  expect(backoffMs(attempt, plan, () => 0.5)).toBe(middle);
  expect(backoffMs(attempt, plan, () => 0.999999)).toBe(most);
});

test("a factor of 1 keeps the wait", () => {
  expect(backoffMs(9, { base: 200, factor: 1, cap: 1000 }, () => 0)).toBe(100);
});
