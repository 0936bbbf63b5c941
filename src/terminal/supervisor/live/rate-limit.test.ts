import { describe, expect, test } from "vitest";
import { limitedUntil, resetIn } from "./rate-limit.ts";

const now = Date.parse("2026-03-01T12:34:56Z");
const at = (text: string) => Date.parse(text);

describe("when a limit is over", () => {
  test.each<[string, number | undefined]>([
    [`Claude AI usage limit reached|${now / 1000 + 3600}`, now + 3_600_000],
    ["try again at 2026-03-01T14:00:00Z", at("2026-03-01T14:00:00Z")],
    ["rate_limit_error: retry after 120 s", now + 120_000],
    ["Please try again in 2h 15m", now + 8_100_000],
    ["limit resets in 5 minutes", now + 300_000],
    ["5-hour limit reached ∙ resets 3pm (UTC)", at("2026-03-01T15:00:00Z")],
    ["resets at 9:30am (Europe/Berlin)", at("2026-03-02T08:30:00Z")],
    ["resets 3pm (Nowhere/Land)", undefined],
    ["too many requests", undefined],
  ])("%s", (text, until) => {
    expect(resetIn(text, now)).toBe(until);
  });
});

describe("whether it has to wait", () => {
  const limited = { state: "error", error_category: "rate_limited" };
  test.each<[string, Parameters<typeof limitedUntil>[0], number | undefined]>([
    ["idle", { state: "idle" }, undefined],
    ["another error", { state: "error", error_category: "server_error" }, undefined],
    ["the time it names", { ...limited, error_detail: "retry after 600 s" }, now + 600_000],
    ["no time: half an hour", limited, now + 1_800_000],
    ["the host's own word", { state: "parked", resume_at_epoch_ms: now + 700_000 }, now + 700_000],
    ["at least a minute", { ...limited, error_detail: "retry after 1 s" }, now + 60_000],
    ["nothing absurd", { ...limited, error_detail: "|9999999999" }, now + 1_800_000],
  ])("%s", (_, view, until) => {
    expect(limitedUntil(view, now)).toBe(until);
  });
});
