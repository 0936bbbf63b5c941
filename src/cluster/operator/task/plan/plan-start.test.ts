import { describe, expect, test } from "vitest";
import { aView, options } from "../test-objects.ts";
import { planStart } from "./plan-start.ts";

const problem = (message: string, denied: boolean) => ({
  reason: denied ? "NotAllowed" : "SecretNotFound",
  message,
  denied,
});
const statusOf = (...problems: ReturnType<typeof problem>[]) => {
  const [action] = planStart(aView({ problems }), 1, options);
  return action?.do === "report" ? action.status : undefined;
};

describe("before a Job is made", () => {
  test("what is not allowed ends the Task, all of it said at once, in a condition too", () => {
    const status = statusOf(problem("missing", false), problem("this", true), problem("that", true));
    expect(status).toMatchObject({
      phase: "Failed",
      reason: "NotAllowed",
      message: "this; that",
      conditions: [{ type: "Allowed", status: "False", reason: "NotAllowed", message: "this; that" }],
    });
  });

  test.each([true, false])("names of any length leave a status that can be written (denied: %s)", (denied) => {
    const status = statusOf(...Array.from({ length: 40 }, () => problem("x".repeat(100_000), denied)));
    expect(JSON.stringify(status).length).toBeLessThan(10_000);
  });
});
