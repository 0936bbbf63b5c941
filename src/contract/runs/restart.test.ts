import { describe, expect, test } from "vitest";
import { attemptPrompt, type LoopFacts, type LoopPolicy, nextStep } from "./restart.ts";

const policy: LoopPolicy = { until: "either", maxAttempts: 3, delayMs: 1000 };
const none: LoopFacts = {
  attempts: 0,
  done: false,
  fastFailures: 0,
  idle: 0,
  costUsd: 0,
  tokens: 0,
  turns: 0,
  elapsedMs: 0,
};
const ok = { status: "completed", reason: "", exitCode: 0, durationMs: 60_000 } as const;
const bad = { status: "failed", reason: "exit_code", exitCode: 1, durationMs: 60_000 } as const;
const stopped = { status: "failed", reason: "stopped", exitCode: 1, durationMs: 60_000 } as const;

const cases: Record<string, [Partial<LoopPolicy>, Partial<LoopFacts>, string]> = {
  "the first attempt starts at once": [{}, {}, "again 0"],
  "a completed run ends it": [{}, { attempts: 1, last: ok }, "done"],
  "DONE ends it although the run failed": [{}, { attempts: 1, last: bad, done: true }, "done"],
  "until done: a completed run goes on": [{ until: "done" }, { attempts: 1, last: ok }, "again 1000"],
  "until done: DONE ends it": [{ until: "done" }, { attempts: 1, last: ok, done: true }, "done"],
  "until success: DONE doesn't": [{ until: "success" }, { attempts: 1, last: bad, done: true }, "again 1000"],
  "DONE before the first attempt ends it": [{}, { done: true }, "done"],
  "a stop is a stop, not a failure to retry": [{}, { attempts: 1, last: stopped }, "stopped"],
  "a stop wins over DONE": [{}, { attempts: 1, last: stopped, done: true }, "stopped"],
  "attempts that change nothing end it": [
    { until: "done", maxAttempts: 9 },
    { attempts: 3, last: ok, idle: 3 },
    "failed",
  ],
  "two of them don't": [{ until: "done", maxAttempts: 9 }, { attempts: 2, last: ok, idle: 2 }, "again 1000"],
  "the last attempt was the last": [{}, { attempts: 3, last: bad }, "failed"],
  "a failed run is tried again": [{}, { attempts: 1, last: bad }, "again 1000"],
  "a fast failure waits longer": [{}, { attempts: 1, last: bad, fastFailures: 2 }, "again 4000"],
  "never longer than five minutes": [
    { maxAttempts: 99 },
    { attempts: 30, last: bad, fastFailures: 30 },
    "again 300000",
  ],
  cost: [{ maxCostUsd: 1 }, { attempts: 1, last: bad, costUsd: 1.2 }, "failed"],
  tokens: [{ maxTokens: 100 }, { attempts: 1, last: bad, tokens: 100 }, "failed"],
  turns: [{ maxTurns: 4 }, { attempts: 1, last: bad, turns: 4 }, "failed"],
  time: [{ maxTimeMs: 5000 }, { attempts: 1, last: bad, elapsedMs: 6000 }, "failed"],
  "a run that used up a budget": [{}, { attempts: 1, last: { ...bad, reason: "budget" } }, "failed"],
  "a rate limit is waited for": [{}, { attempts: 1, last: bad, fastFailures: 1, limitedForMs: 90_000 }, "again 90000"],
};

describe("nextStep", () => {
  test.each(Object.entries(cases))("%s", (_, [change, facts, expected]) => {
    const step = nextStep({ ...policy, ...change }, { ...none, ...facts }, () => 1);
    expect(step.do === "stop" ? step.outcome : `again ${step.afterMs}`).toBe(expected);
  });
});

test("later attempts are told so", () => {
  expect(attemptPrompt("do it", 1, false)).toBe("do it");
  expect(attemptPrompt("do it", 2, false)).toBe("Continue working on the following:\n\ndo it");
  expect(attemptPrompt("do it", 2, true)).not.toContain("do it");
});

test.each([
  [1, "1 attempt is enough (--max-attempts)"],
  [2, "2 attempts are enough (--max-attempts)"],
])("why %i were made", (attempts, why) => {
  expect(nextStep({ ...policy, maxAttempts: attempts }, { ...none, attempts, last: bad }, () => 1)).toMatchObject({
    why,
  });
});
