import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../../../contract/events.ts";
import { blankRunInfo } from "../../../../contract/runs/run.ts";
import { begin, call, done, end, opened, permission, resolved, say } from "../../testing/test-events.ts";
import { liveView, RUN } from "./testing/test-live-view.ts";

const think = (text: string): AgentEvent => ({ type: "reasoning", messageId: "r1", text });

describe("what is shown", () => {
  test("text as it comes, before its line has an end", () => {
    const { show, said } = liveView();
    show(opened, begin, say("Hel"));
    expect(said()).toEqual(["", "Hel"]);
    show(say("lo, wor"));
    show(say("ld"));
    expect(said()).toEqual(["", "Hello, world"]);
  });

  test("a tool's line changes in place while it is the last", () => {
    const { show, said } = liveView();
    show(begin, say("Looking."), call("c1", "ls"));
    expect(said()).toEqual(["", "Looking.", "", "⋯ ls"]);
    show(done("c1", "a.txt"));
    expect(said()).toEqual(["", "Looking.", "", "✓ ls  a.txt"]);
  });

  test("two tools at once end in any order", () => {
    const { show, said } = liveView();
    show(begin, call("c1", "one"), call("c2", "two"));
    show(done("c1"));
    show(done("c2"));
    expect(said()).toEqual(["", "✓ one  ok", "✓ two  ok"]);
  });

  test("a tool that text followed is told again", () => {
    const { show, said } = liveView();
    show(begin, call("c1", "npm test"), say("While that runs"), done("c1"));
    expect(said()).toEqual(["", "⋯ npm test", "", "While that runs", "", "✓ npm test  ok"]);
  });

  test("what goes on stands below the text, also while that streams in", () => {
    const { show, shown, pause, terminal } = liveView();
    expect(shown()).toEqual(["● starting 0s · Ctrl-C interrupts"]);
    pause(3000);
    expect(shown()).toEqual(["● starting 3s · Ctrl-C interrupts"]);
    show(begin, say("Hello"));
    expect(shown()).toEqual(["", "Hello", "● working 0s · Ctrl-C interrupts"]);
    for (let i = 0; i < 30; i += 1) {
      pause(100);
      show(say("."));
      expect(shown().at(-1)).toBe(`● working ${Math.floor((i + 1) / 10)}s · Ctrl-C interrupts`);
    }
    const before = terminal.writes;
    show(say("x"));
    expect(terminal.writes).toBe(before + 1); // in one, so it never flickers
  });

  test("thinking, unless it is hidden", () => {
    const open = liveView();
    open.show(begin, think("hm"), say("So."));
    expect(open.said()).toEqual(["", "hm", "", "So."]);
    const hidden = liveView({ thinking: "hide" });
    hidden.show(begin, think("hm"), say("So."));
    expect(hidden.said()).toEqual(["", "So."]);
  });

  test("a plan: all of it first, later what changed", () => {
    const { show, said } = liveView();
    const plan = (a: "pending" | "completed", b: "pending" | "in_progress"): AgentEvent => ({
      type: "plan",
      entries: [
        { text: "Look", status: a },
        { text: "Leap", status: b },
      ],
    });
    show(begin, plan("pending", "pending"), plan("pending", "pending"), say("x"), plan("completed", "in_progress"));
    expect(said()).toEqual(["", "  ☐ Look", "  ☐ Leap", "", "x", "", "  ☑ Look", "  ▸ Leap"]);
  });

  test("a replaced message goes on where it agrees, else is said anew", () => {
    const { show, said } = liveView();
    show(begin, say("Hello"), { type: "message_chunk", messageId: "m", text: "Hello there", replace: true });
    expect(said()).toEqual(["", "Hello there"]);
    show({ type: "message_chunk", messageId: "m", text: "Goodbye", replace: true });
    expect(said()).toEqual(["", "Hello there", "", "Goodbye"]);
  });

  test("errors with category and remedy, notices, the queue", () => {
    const { show, shown, pause } = liveView({ width: 70 });
    show(begin, {
      type: "error",
      category: "auth",
      message: "key rejected",
      retryable: false,
      httpStatus: 401,
      remedy: "log in again",
    });
    show({ type: "notice", code: "retrying", text: "once more" });
    show({ type: "prompt_queue", prompts: [{ promptId: "x", content: [{ type: "text", text: "then this" }] }] });
    pause(200);
    expect(shown()).toEqual([
      "",
      "✗ auth 401: key rejected",
      "  → log in again",
      "! once more",
      "  next: then this",
      "● retrying 0s · Ctrl-C interrupts",
    ]);
  });

  test("an agent that tries again says so, and one that says nothing is silent", () => {
    const { show, shown, pause } = liveView({ width: 80 });
    const status = () => shown().at(-1);
    show(begin, say("Hm."));
    pause(9200);
    expect(status()).toBe("● working 9s · Ctrl-C interrupts");
    pause(3000);
    expect(status()).toBe("● working 12s · silent for 12s · Ctrl-C interrupts");
    show({ type: "notice", code: "retrying", text: "Retry 1 of 10 in 30 s: rate_limit, HTTP 429" });
    pause(30_200);
    expect(shown()).toContain("! Retry 1 of 10 in 30 s: rate_limit, HTTP 429");
    expect(status()).toBe("● retrying 42s · silent for 30s · Ctrl-C interrupts");
    show(call("c1", "npm test"));
    pause(60_200);
    expect(status()).toBe("● running npm test 1m 42s · Ctrl-C interrupts"); // programs may be silent
    show(done("c1"), say("There."));
    pause(200);
    expect(status()).toBe("● working 1m 42s · Ctrl-C interrupts");
  });

  test("words are whole, Markdown is rendered, hostile marks are text", () => {
    const { show, said } = liveView({ width: 20, env: { NO_COLOR: "" } });
    for (const letter of "# Title\n\nThe **quick** brown fox [a](http://b)\n") show(say(letter));
    expect(said().slice(2)).toEqual(["", "Title", "", "The quick brown fox", "a (http://b)"]);
  });

  test("a thought's Markdown is rendered, all of it dim", () => {
    const { show, said, context } = liveView({ env: { NO_COLOR: "" } });
    show(begin, think("**Looking around** now"), say("So."));
    expect(said()).toEqual(["", "Looking around now", "", "So."]);
    expect(context.out()).not.toContain("\x1b[1mLooking");
  });

  test("boxes and marks are ASCII where the locale is", () => {
    const { show, shown, pause } = liveView({ interactive: true, env: { LANG: "C" } });
    show(opened, begin, say("- item"), call("c1", "ls"), permission("p0", "echo ›"));
    pause();
    const [text, ...ours] = [shown().join("\n").replace("echo ›", "").replace("echo ›", "")].concat(shown());
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    expect(ours.join("\n")).toContain("$ echo ›"); // what is approved is shown as it is
  });

  test("nothing an agent sends reaches the terminal as a command", () => {
    const evil = "\x1b]52;c;eA==\x07\x1b[2J\x9b1mEVIL\u202e\r";
    const { show, view } = liveView(); // the test terminal throws on what it doesn't know
    show(begin, say(evil), think(evil), call("c1", evil), done("c1", evil));
    show(permission("p0", evil), {
      type: "question_request",
      pendingId: "p1",
      message: evil,
      questions: [
        { id: evil, text: evil, answer: "choice", choices: [{ value: evil, label: evil, description: evil }] },
      ],
    });
    show(resolved("p0", evil));
    show({ type: "plan", entries: [{ text: evil, status: "pending" }] });
    show({ type: "error", category: "other", message: evil, retryable: true, remedy: evil, stderrTail: evil });
    show({ type: "notice", code: "x", text: evil }, { type: "complete", turn: "t", outcome: "failed", reason: evil });
    show({ type: "user_message", promptId: "u", content: [{ type: "text", text: evil }], delivery: "start" });
    show({ type: "rate_limit", status: "limited", scope: evil, resetsAt: evil });
    show({ type: "session_status", status: "parked", reason: evil, until: evil });
    view.finish({ ...blankRunInfo, run_id: RUN, status: "failed", error_summary: evil, output_path: evil });
    view.close();
  });

  test.each([1, 3, 10, 19])("a terminal of %d columns is no reason to fail", (width) => {
    const { show, view, pause, type } = liveView({ width, interactive: true });
    show(
      begin,
      say("some words that wrap"),
      call("c1", "a long title of a tool"),
      done("c1"),
      permission("p0", "git push"),
    );
    pause();
    type("d");
    type("because");
    pause();
    show(end);
    view.close();
  });
});

describe("the end", () => {
  test("a closing line, and the terminal as it was", () => {
    const { show, shown, view, context } = liveView({ width: 120 });
    expect(context.raw).toBe(true);
    show(begin, say("Done."), end, { type: "session_status", status: "closed", reason: "done" });
    view.finish({
      ...blankRunInfo,
      run_id: RUN,
      status: "completed",
      turns: 1,
      input_tokens: 1000,
      output_tokens: 234,
      cost_usd: 0.05,
      start_time: "2026-08-01T12:00:00Z",
      end_time: "2026-08-01T12:01:30Z",
      output_path: "/runs/x/output.md",
    });
    view.close();
    expect(shown()).toEqual([
      "",
      "Done.",
      "",
      `✓ ${RUN} completed · 1 turn · 1.2k tokens · $0.05 · 1m 30s`,
      "  output:",
      "/runs/x/output.md",
    ]);
    expect(context.raw).toBe(false);
    expect(context.stdin.listenerCount("data")).toBe(0);
  });

  test("a failure says why", () => {
    const { view, shown } = liveView({ width: 120 });
    view.finish({
      ...blankRunInfo,
      run_id: RUN,
      status: "failed",
      reason: "turn_failed",
      category: "auth",
      error_summary: "no key",
    });
    view.close();
    expect(shown().slice(1, 3)).toEqual([`✗ ${RUN} failed (auth) · 0 turns`, "  no key"]);
  });

  test("closing twice, and showing after the end, does nothing", () => {
    const { view, show, context } = liveView();
    view.close();
    const before = context.out();
    view.close();
    show(say("late"));
    expect(context.out()).toBe(before);
  });
});
