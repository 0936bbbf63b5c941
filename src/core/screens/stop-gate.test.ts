import { describe, expect, test } from "vitest";
import { checkSignal, decideStop, StopConfig, StopGate } from "./stop-gate.ts";

const auto = StopConfig.parse({ mode: "auto" });
const gate = StopConfig.parse({ mode: "gate", prompt: "ask Ann" });
const calm = { held: false, signaled: false, trouble: undefined };

describe("may it stop?", () => {
  test.each([
    ["whenever", StopConfig.parse({}), calm, "allowed"],
    ["not before it was let go", auto, calm, "blocked"],
    ["nor without Ann", gate, calm, "blocked"],
    ["when it was let go", auto, { ...calm, signaled: true }, "signaled"],
    ["when it was held once already", auto, { ...calm, held: true, signaled: true }, "safety_valve"],
    ["when it can't go on", auto, { ...calm, trouble: "unauthorized" }, "error"],
    ["not for an error that passes", auto, { ...calm, trouble: "rate_limited" }, "blocked"],
  ])("%s", (_, config, facts, outcome) => {
    expect(decideStop(config, facts).outcome).toBe(outcome);
  });

  test("the reason has a command for each way", () => {
    const { reason } = decideStop(auto, calm);
    expect(reason).toContain(`done: the work is complete: cox send '{"status":"done"}'`);
    expect(reason).toContain(`cox send '{"status":"continue"}'`);
    expect(decideStop(gate, calm).reason).toBe("ask Ann");
  });

  test("with a schema of one's own", () => {
    const schema = { fields: { verdict: { required: true, enum: ["ship"] }, why: { required: true } } };
    expect(decideStop(StopConfig.parse({ mode: "auto", schema }), calm).reason).toContain(
      `cox send '{"verdict":"ship","why":"…"}'`,
    );
  });
});

test.each([
  [{ status: "done" }, undefined],
  [{ status: "done", more: 1 }, undefined],
  [{}, "missing required field: status"],
  [{ status: "shrug" }, 'field status: "shrug" is not one of done, continue'],
  [[], "the body must be a JSON object"],
  [null, "the body must be a JSON object"],
])("a signal %j", (body, wrong) => {
  expect(checkSignal(body, auto)).toBe(wrong);
});

test("a signal counts once, and a new setting forgets it", () => {
  const outcomes: string[] = [];
  const stop = new StopGate(auto, ({ type, seq }) => outcomes.push(`${seq} ${type}`));
  stop.resolve({ status: "done" });
  expect(stop.ask(false, undefined).outcome).toBe("signaled");
  expect(stop.ask(false, undefined).outcome).toBe("blocked");
  stop.resolve({ status: "done" });
  stop.config = gate;
  expect(stop.ask(false, undefined).outcome).toBe("blocked");
  stop.config = auto;
  expect(() => stop.resolve({})).toThrow("missing required field");
  expect(outcomes).toEqual(["1 signaled", "2 blocked", "3 blocked", "4 rejected"]);
});
