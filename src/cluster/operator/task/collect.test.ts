import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Digest, digestedText } from "../../../contract/outputs/outputs-digest.ts";
import { combine, type LogOutputs } from "./collect.ts";

const lines = ["branch: b", "response: aGVsbG8="];
const sha256 = createHash("sha256").update(digestedText(lines)).digest("hex");
const whole: Digest = { coxswain: 1, outputs: lines, sha256 };
const short: Digest = { coxswain: 1, outputs: ["branch: b"], omitted: ["response"], sha256 };
const log = (...found: string[]): LogOutputs => ({ lines: found, tooLarge: false });

const cases: Record<string, [Digest | undefined, LogOutputs | undefined, string[], string | undefined]> = {
  "the message says all": [whole, undefined, lines, undefined],
  "the log fills in what was too long": [short, log(...lines), lines, undefined],
  "a forged block does not": [short, log("branch: evil", "response: x"), ["branch: b"], "OutputsUnavailable TooLarge"],
  "nor does a log that is gone": [short, { missing: "the pod is gone" }, ["branch: b"], "OutputsUnavailable TooLarge"],
  "the log alone is marked": [undefined, log("branch: b"), ["branch: b"], "OutputsFromLog NoTerminationMessage"],
  "no block": [undefined, log(), [], "OutputsUnavailable NotReported"],
  "no log": [undefined, { missing: "the pod is gone" }, [], "OutputsUnavailable NotReported"],
  "a block beyond all measure": [
    undefined,
    { lines: ["branch: b"], tooLarge: true },
    [],
    "OutputsUnavailable TooLarge",
  ],
  "nothing to say, and said so": [{ coxswain: 1, outputs: [], sha256: "" }, undefined, [], undefined],
};

describe("whom to believe about outputs", () => {
  test.each(Object.entries(cases))("%s", (_, [digest, found, outputs, condition]) => {
    const collected = combine(digest, found);
    expect(collected.outputs).toEqual(outputs);
    expect(collected.said.map(({ type, reason }) => `${type} ${reason}`)).toEqual(
      condition === undefined ? [] : [condition],
    );
  });
});
