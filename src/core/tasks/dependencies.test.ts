import { expect, test } from "vitest";
import type { TaskState } from "../../contract/tasks/task.ts";
import { readiness } from "./dependencies.ts";

/** `done`, `done+` (its run has not ended), `failed` …; named by their place. */
const statuses = (text: string) =>
  text
    .split(" ")
    .filter(Boolean)
    .map((word, index) => ({
      name: `d${index + 1}`,
      state: word.replace("+", "") as TaskState | "deleted",
      live: word.endsWith("+"),
    }));

test.each<[string, string, "fail" | "skip" | "wait", string, RegExp]>([
  ["nothing to wait for", "", "fail", "start", /^$/],
  ["all done", "done done", "fail", "start", /^$/],
  ["done, but its run has not ended", "done done+", "fail", "wait", /^waits for d2$/],
  ["one runs", "done in_progress", "fail", "wait", /^waits for d2$/],
  ["one is in review", "review", "fail", "wait", /^waits for d1$/],
  ["two are missing", "todo queued", "fail", "wait", /^waits for d1, d2$/],
  ["one failed: fail", "done failed", "fail", "fail", /d2 failed/],
  ["one failed: skip", "failed", "skip", "skip", /d1 failed/],
  ["one failed: wait until it is done after all", "failed", "wait", "wait", /d1 failed/],
  ["a failed one decides while others run", "in_progress failed", "fail", "fail", /d2 failed/],
  ["failed, but its run has not ended", "failed+", "fail", "wait", /^waits for d1$/],
  ["cancelled counts as failed", "cancelled", "fail", "fail", /d1 was cancelled/],
  ["deleted is said", "deleted", "fail", "fail", /d1 was deleted/],
  ["deleted, with patience", "deleted", "wait", "wait", /d1 was deleted/],
])("%s", (_, dependencies, policy, expected, reason) => {
  const ready = readiness(statuses(dependencies), policy);
  expect(ready.do).toBe(expected);
  expect("reason" in ready ? ready.reason : "").toMatch(reason);
});
