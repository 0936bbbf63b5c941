import { describe, expect, test } from "vitest";
import { judge, type RunFacts } from "./verdict.ts";

const nothing: RunFacts = { cause: undefined, exit: undefined, lastTurn: undefined, lastError: undefined };
const auth = { type: "error", message: "401", category: "auth", retryable: false } as const;

const cases: Record<string, [Partial<RunFacts>, string, string, number]> = {
  "a completed batch turn": [{ cause: { by: "turn_complete" }, lastTurn: "completed" }, "completed", "", 0],
  "a failed batch turn": [
    { cause: { by: "turn_complete" }, lastTurn: "failed", lastError: auth },
    "failed",
    "turn_failed",
    1,
  ],
  "an interrupted batch turn": [{ cause: { by: "turn_complete" }, lastTurn: "interrupted" }, "failed", "stopped", 130],
  "stopped between turns": [{ cause: { by: "stop", inTurn: false }, lastTurn: "completed" }, "completed", "", 0],
  "stopped before there was a turn": [{ cause: { by: "stop", inTurn: false } }, "completed", "", 0],
  "stopped after an interrupted turn": [
    { cause: { by: "stop", inTurn: false }, lastTurn: "interrupted" },
    "failed",
    "stopped",
    130,
  ],
  "stopped after a failed turn": [
    { cause: { by: "stop", inTurn: false }, lastTurn: "failed", lastError: auth },
    "failed",
    "turn_failed",
    1,
  ],
  "idle for long, after a completed turn": [
    { cause: { by: "idle", detail: "" }, lastTurn: "completed" },
    "completed",
    "",
    0,
  ],
  "idle for long, after an interrupted turn": [
    { cause: { by: "idle", detail: "" }, lastTurn: "interrupted" },
    "failed",
    "stopped",
    130,
  ],
  "stopped in a turn": [{ cause: { by: "stop", inTurn: true }, lastTurn: "failed" }, "failed", "stopped", 1],
  "stopped by SIGTERM in a turn": [
    { cause: { by: "stop", signal: "SIGTERM", inTurn: true }, lastTurn: "failed" },
    "failed",
    "stopped",
    143,
  ],
  "a total limit": [
    { cause: { by: "limit", reason: "timeout", detail: "" }, lastTurn: "open" },
    "failed",
    "timeout",
    124,
  ],
  "the agent exits with a code": [{ exit: { code: 3 }, lastTurn: "failed" }, "failed", "exit_code", 3],
  "the agent is killed": [{ exit: { code: 137, signal: "SIGKILL" }, lastTurn: "failed" }, "failed", "signal", 137],
  "the agent exits 0 after its turn": [{ exit: { code: 0 }, lastTurn: "completed" }, "completed", "", 0],
  "the agent exits 0 in the middle of a turn": [{ exit: { code: 0 }, lastTurn: "failed" }, "failed", "turn_failed", 1],
  "it could not be started": [
    { cause: { by: "failure", reason: "spawn_failed", detail: "x", exitCode: 127 } },
    "failed",
    "spawn_failed",
    127,
  ],
};

describe("judge", () => {
  test.each(Object.entries(cases))("%s", (_, [facts, status, reason, exitCode]) => {
    expect(judge({ ...nothing, ...facts })).toMatchObject({ status, reason, exitCode });
  });
});
