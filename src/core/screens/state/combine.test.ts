import { describe, expect, test } from "vitest";
import { type AgentState, promptOf, type Report, type Tier } from "./agent-state.ts";
import { BELIEVED_MS, combine, type Held, SCREEN_LAG_MS, type Verdict } from "./combine.ts";
import { AgentTracker, type Transition } from "./tracker.ts";

const permission = promptOf("permission");
const question = promptOf("question");

const held = (state: AgentState, tier: Tier | undefined, more: Partial<Held> = {}): Held => ({
  state,
  tier,
  prompt: state === "prompt" ? permission : undefined,
  since: 0,
  inputs: {},
  ...more,
});
const says = (tier: Tier, state: AgentState, more: Partial<Report> = {}): Report => ({
  tier,
  state,
  cause: "test",
  ...(state === "prompt" ? { prompt: permission } : {}),
  ...more,
});

const LATER = 60_000;
const cases: Record<string, [Held, Report, Verdict, now?: number]> = {
  "the first word is taken": [held("starting", undefined), says(5, "idle"), "take"],
  "the more trusted is believed": [held("idle", 5), says(1, "working"), "take"],
  "also when it says that less is going on": [held("working", 5), says(1, "idle"), "take"],
  "the equally trusted too": [held("working", 2), says(2, "idle"), "take"],
  "the less trusted is not": [held("working", 1), says(5, "idle"), "ignore"],
  "unless more is going on": [held("idle", 1), says(5, "working"), "take"],
  "but not at once, for a screen lags behind": [held("idle", 1), says(5, "working"), "ignore", SCREEN_LAG_MS - 1],
  "a question on it doesn't": [held("working", 1), says(5, "prompt"), "take", 0],
  "or it has said so for long": [held("working", 1), says(5, "idle", { heldMs: BELIEVED_MS }), "take"],
  "not long enough": [held("working", 1), says(5, "idle", { heldMs: BELIEVED_MS - 1 }), "ignore"],
  "an error is more than idle": [held("idle", 1), says(2, "error"), "take"],
  "and less than working": [held("working", 1), says(2, "error"), "ignore"],
  "the same from another is a confirmation": [held("idle", 5), says(1, "idle"), "confirm"],
  "the same again is nothing": [held("idle", 5), says(5, "idle"), "ignore"],
  "the end is believed from anybody": [held("working", 1), says(4, "exited"), "take"],
  "and only once": [held("exited", 4), says(4, "exited"), "ignore"],
  "after it nothing counts": [held("exited", 4), says(1, "working"), "ignore"],
  "but a restart": [held("exited", 4), says(1, "restarting"), "take"],
  "while it restarts nobody is heard": [held("restarting", 1), says(1, "idle"), "ignore"],
  "until it has begun": [held("restarting", 1), says(1, "starting"), "take"],
  "which nothing else does": [held("idle", 1), says(1, "starting"), "ignore"],
  "a question also asks for leave": [held("prompt", 1, { prompt: question }), says(1, "prompt"), "ignore"],
  "leave may become a question": [held("prompt", 1), says(1, "prompt", { prompt: question }), "take"],
  "another kind of set-up is another question": [
    held("prompt", 5, { prompt: promptOf("setup", { subtype: "theme_picker" }) }),
    says(5, "prompt", { prompt: promptOf("setup", { subtype: "api_key" }) }),
    "take",
  ],
  "the same observer asks for something else": [
    held("prompt", 5, { inputs: { 5: "rm a" } }),
    says(5, "prompt", { prompt: promptOf("permission", { input: "rm b" }) }),
    "take",
  ],
  "another tells the same in its own words": [
    held("prompt", 1, { inputs: { 1: '{"command":"rm a"}' } }),
    says(5, "prompt", { prompt: promptOf("permission", { input: "rm a" }) }),
    "confirm",
  ],
  "news from before are none": [held("idle", 1, { since: 1000 }), says(2, "working", { at: 999 }), "ignore"],
  "news from after are": [held("idle", 1, { since: 1000 }), says(2, "working", { at: 1001 }), "take"],
};

describe("who is believed", () => {
  test.each(Object.entries(cases))("%s", (_, [before, report, verdict, now = LATER]) => {
    expect(combine(before, report, now)).toBe(verdict);
  });
});

describe("the tracker", () => {
  function track() {
    const seen: Transition[] = [];
    let now = 0;
    const tracker = new AgentTracker(
      (transition) => seen.push(transition),
      () => now,
    );
    const hear = (report: Report) => {
      now += LATER;
      tracker.report(report);
    };
    return { tracker, seen, hear };
  }

  test("numbers the changes and goes on after a restart", () => {
    const { tracker, seen, hear } = track();
    for (const state of ["idle", "working", "exited", "restarting", "starting", "idle"] as const) hear(says(1, state));
    expect(seen.map(({ seq, next }) => [seq, next])).toEqual([
      [1, "idle"],
      [2, "working"],
      [3, "exited"],
      [4, "restarting"],
      [5, "starting"],
      [6, "idle"],
    ]);
    expect([tracker.ready, tracker.tier]).toEqual([true, "1"]);
  });

  test("is ready when it has left its start", () => {
    const { tracker, hear } = track();
    expect(tracker.ready).toBe(false);
    hear(says(5, "prompt"));
    expect(tracker.ready).toBe(true);
  });

  test("completes a prompt with what the second observer knows, under the same number", () => {
    const { tracker, seen, hear } = track();
    hear(says(1, "prompt", { prompt: promptOf("permission", { tool: "Bash", input: "{}" }) }));
    hear(says(5, "prompt", { prompt: promptOf("permission", { input: "ls", options: ["Yes", "No"], ready: true }) }));
    expect(seen.map(({ seq, cause }) => [seq, cause])).toEqual([
      [1, "test"],
      [1, "ready"],
    ]);
    expect(tracker.prompt).toMatchObject({ tool: "Bash", input: "{}", options: ["Yes", "No"], ready: true });
    expect(tracker.tier).toBe("5");
    hear(says(5, "working"));
    expect(tracker.state).toBe("working");
  });

  test("what a late hook knows is told, too, and options that were guessed give way", () => {
    const { tracker, seen, hear } = track();
    const shown = promptOf("permission", { input: "ls", options: ["Yes", "No"], ready: true });
    hear(says(5, "prompt", { prompt: shown }));
    hear(says(1, "prompt", { prompt: promptOf("permission", { tool: "Bash", input: "{}" }) }));
    expect(seen.map(({ seq, prompt }) => [seq, prompt?.tool])).toEqual([
      [1, null],
      [1, "Bash"],
    ]);
    expect(tracker.prompt).toMatchObject({ input: "ls", options: ["Yes", "No"] });
    tracker.complete({ ...shown, tool: "Bash", options: ["Accept", "Cancel"], options_fallback: true });
    hear(says(5, "prompt", { prompt: shown }));
    expect(tracker.prompt).toMatchObject({ options: ["Yes", "No"], options_fallback: false });
    const told = seen.length;
    hear(says(1, "prompt", { prompt: promptOf("permission", { tool: "Bash", input: "{}" }) }));
    expect(seen).toHaveLength(told);
  });

  test("an error is forgotten with the next state", () => {
    const { tracker, hear, seen } = track();
    hear(says(2, "error", { trouble: { detail: "429", category: "rate_limited" } }));
    expect(seen[0]).toMatchObject({ error_detail: "429", error_category: "rate_limited" });
    hear(says(1, "idle"));
    expect(tracker.trouble).toBeUndefined();
  });
});
