import { expect, test } from "vitest";
import { TestClock } from "../../testing/test-context.ts";
import { KeyReader } from "../live/keys.ts";
import { asText, type HeldKey, holdStep, whenHeld } from "./key-hold.ts";

const text = (letter: string) => ({ key: "text" as const, text: letter });

/** Types; the keys that were used, `-x` for one that was taken back, and at the end the one that is still held. */
function typed(keys: string): string[] {
  const found: string[] = [];
  let held: HeldKey | undefined;
  const name = (key: ReturnType<KeyReader["read"]>[number]) => (key.key === "text" ? key.text : key.key);
  for (const letter of keys) {
    for (const key of new KeyReader().read(letter)) {
      const step = holdStep(held, key, (each) => (each.key === "text" && each.text === "a" ? "allow" : undefined));
      held = "hold" in step ? step.hold : undefined;
      if ("use" in step) found.push(name(step.use));
      if ("takenBack" in step) found.push(`-${name(step.takenBack.key)}`);
    }
  }
  return held === undefined ? found : [...found, `held ${name(held.key)}: ${held.does}`];
}

test.each<[string, string[]]>([
  ["a", ["held a: allow"]],
  ["a\r", ["a"]],
  ["at", ["-a"]],
  ["aa", ["-a"]],
  ["a\x1b", ["-a"]],
  ["x", ["x"]],
  ["xa", ["x", "held a: allow"]],
])("%j", (keys, found) => {
  expect(typed(keys)).toEqual(found);
});

test("where letters are text, what was taken back is no answer any more", () => {
  expect(asText({ key: text("y"), does: "yes" })).toEqual({ ...text("y"), pasted: true });
  expect(asText({ key: { key: "escape" }, does: "decline" })).toBeUndefined();
});

test("it counts after a moment, once", () => {
  const clock = new TestClock();
  const calls: number[] = [];
  whenHeld(clock, () => calls.push(clock.now()));
  clock.pass(299);
  expect(calls).toEqual([]);
  clock.pass(1);
  clock.pass(1000);
  expect(calls).toHaveLength(1);
});

test.each([100, 290])("taken back after %i ms it never does", (ms) => {
  const clock = new TestClock();
  const calls: number[] = [];
  const takeBack = whenHeld(clock, () => calls.push(1));
  clock.pass(ms);
  takeBack();
  clock.pass(1000);
  expect(calls).toEqual([]);
});
