import { expect, test } from "vitest";
import { TestClock } from "../../../faces/cli/testing/test-context.ts";
import type { EndCause } from "../ending/verdict.ts";
import { LimitWatch } from "./limits.ts";

function reached(limits: ConstructorParameters<typeof LimitWatch>[0], ms: number): EndCause[] {
  const clock = new TestClock();
  const causes: EndCause[] = [];
  const watch = new LimitWatch(limits, clock, (cause) => causes.push(cause));
  watch.heard("working");
  clock.pass(ms);
  watch.end();
  return causes;
}

test("a limit that is reached says where it was set", () => {
  expect(reached({ timeoutMs: 5000, timeoutFrom: "timeout in config.yaml" }, 5000)).toEqual([
    { by: "limit", reason: "timeout", detail: "took longer than 5 s in all (timeout in config.yaml)" },
  ]);
  expect(reached({ timeoutMs: 9000, idleTimeoutMs: 2000, idleTimeoutFrom: "--idle-timeout" }, 2000)).toEqual([
    { by: "limit", reason: "idle_timeout", detail: "silent for 2 s (--idle-timeout)" },
  ]);
  expect(reached({ timeoutMs: 1000 }, 1000)).toMatchObject([{ detail: "took longer than 1 s in all" }]);
});
