import { describe, expect, test } from "vitest";
import type { SentCommand } from "../../contract/commands.ts";
import { AppError } from "../../contract/errors.ts";
import type { AgentEvent, EventOf, RecordedEvent } from "../../contract/events.ts";
import { blankRunInfo } from "../../contract/run.ts";
import { runPaths } from "../../store/run-directory.ts";
import { testContext } from "../test-context.ts";
import { createView } from "./index.ts";
import { TestTerminal } from "./test-terminal.ts";

const RUN = "20260801-1200000000-0000042-0001";

function setUp(options: { interactive?: boolean; env?: NodeJS.ProcessEnv; width?: number; thinking?: "hide" } = {}) {
  const terminal = new TestTerminal(options.width ?? 60, 24);
  const context = testContext({
    env: { NO_COLOR: "1", ...options.env },
    tty: { columns: terminal.columns(), rows: 24 },
    onWrite: (text) => terminal.write(text),
  });
  const sent: SentCommand[] = [];
  const calls: string[] = [];
  let refusal: Error | undefined;
  const view = createView({
    context,
    style: "live",
    interactive: options.interactive ?? false,
    header: { runId: RUN, agent: "demo", model: "fast", cwd: "/work", paths: runPaths("/runs/x") },
    send: async (command) => {
      sent.push(command);
      if (refusal) throw refusal;
    },
    onInterruptKey: () => calls.push("interrupt"),
    onEnd: () => calls.push("end"),
    thinking: options.thinking,
  });
  let seq = 0;
  const show = (...events: AgentEvent[]) =>
    view.show(
      events.map((event): RecordedEvent => {
        seq += 1;
        return { seq, at: new Date(context.clock.now()).toISOString(), ...event };
      }),
    );
  const refuse = (error: Error) => {
    refusal = error;
  };
  /** Without the header. */
  const shown = () => terminal.shown.slice(1);
  const pause = (ms = 500) => context.clock.pass(ms);
  return { terminal, context, view, show, shown, sent, calls, refuse, pause, type: context.type };
}

const opened: AgentEvent = { type: "session_status", status: "new", sessionId: "s" };
const begin: AgentEvent = { type: "turn_started", turn: "t1" };
const say = (text: string, messageId = "m1"): AgentEvent => ({ type: "message_chunk", messageId, text });
const think = (text: string): AgentEvent => ({ type: "reasoning", messageId: "r1", text });
const call = (toolCallId: string, toolTitle: string): AgentEvent => ({
  type: "tool_call",
  toolCallId,
  toolName: "Bash",
  toolTitle,
  kind: "execute",
  toolStatus: "running",
});
const done = (toolCallId: string, result = "ok"): AgentEvent => ({
  type: "tool_update",
  toolCallId,
  toolStatus: "completed",
  result,
});
const end: AgentEvent = { type: "complete", turn: "t1", outcome: "completed", usage: { input: 1000, output: 234 } };

const permission = (pendingId: string, command = "git push"): EventOf<"permission_request"> => ({
  type: "permission_request",
  pendingId,
  permissionTitle: `Run ${command}`,
  source: "protocol",
  actionType: "execute",
  actionDetails: { command, cwd: "/work" },
  permissionOptions: [
    { id: "o1", label: "Yes", kind: "allow_once" },
    { id: "o2", label: "Yes, always", kind: "allow_always" },
    { id: "o3", label: "No", kind: "reject_once" },
  ],
});
const resolved = (pendingId: string, who?: string): AgentEvent => ({
  type: "request_resolved",
  pendingId,
  outcome: "allowed",
  by: "person",
  who,
});

describe("what is shown", () => {
  test("text as it comes, before its line has an end", () => {
    const { show, shown } = setUp();
    show(opened, begin, say("Hel"));
    expect(shown()).toEqual(["", "Hel"]);
    show(say("lo, wor"));
    show(say("ld"));
    expect(shown()).toEqual(["", "Hello, world"]);
  });

  test("a tool's line changes in place while it is the last", () => {
    const { show, shown } = setUp();
    show(begin, say("Looking."), call("c1", "ls"));
    expect(shown()).toEqual(["", "Looking.", "", "⋯ ls"]);
    show(done("c1", "a.txt"));
    expect(shown()).toEqual(["", "Looking.", "", "✓ ls  a.txt"]);
  });

  test("two tools at once end in any order", () => {
    const { show, shown } = setUp();
    show(begin, call("c1", "one"), call("c2", "two"));
    show(done("c1"));
    show(done("c2"));
    expect(shown()).toEqual(["", "✓ one  ok", "✓ two  ok"]);
  });

  test("a tool that text followed is told again", () => {
    const { show, shown } = setUp();
    show(begin, call("c1", "npm test"), say("While that runs"), done("c1"));
    expect(shown()).toEqual(["", "⋯ npm test", "", "While that runs", "", "✓ npm test  ok"]);
  });

  test("the status appears when the text pauses, and goes before more of it", () => {
    const { show, shown, pause } = setUp();
    show(begin, say("Hello"));
    pause(199);
    expect(shown()).toEqual(["", "Hello"]);
    pause(1);
    expect(shown()).toEqual(["", "Hello", "● working 0s · Ctrl-C interrupts"]);
    pause(3000);
    expect(shown().at(-1)).toBe("● working 3s · Ctrl-C interrupts");
    show(say(" again"));
    expect(shown()).toEqual(["", "Hello again"]);
  });

  test("the status is drawn five times a second at most, however much is said", () => {
    const { show, context, pause } = setUp();
    show(begin);
    const before = context.out().split("working").length;
    for (let i = 0; i < 100; i += 1) {
      show(say("word "));
      pause(i % 3 === 0 ? 200 : 20);
    }
    const seconds = (34 * 200 + 66 * 20) / 1000;
    expect(context.out().split("working").length - before).toBeLessThanOrEqual(seconds * 5);
  });

  test("thinking, unless it is hidden", () => {
    const open = setUp();
    open.show(begin, think("hm"), say("So."));
    expect(open.shown()).toEqual(["", "hm", "", "So."]);
    const hidden = setUp({ thinking: "hide" });
    hidden.show(begin, think("hm"), say("So."));
    expect(hidden.shown()).toEqual(["", "So."]);
  });

  test("a plan: all of it first, later what changed", () => {
    const { show, shown } = setUp();
    const plan = (a: "pending" | "completed", b: "pending" | "in_progress"): AgentEvent => ({
      type: "plan",
      entries: [
        { text: "Look", status: a },
        { text: "Leap", status: b },
      ],
    });
    show(begin, plan("pending", "pending"), plan("pending", "pending"), say("x"), plan("completed", "in_progress"));
    expect(shown()).toEqual(["", "  ☐ Look", "  ☐ Leap", "", "x", "", "  ☑ Look", "  ▸ Leap"]);
  });

  test("a replaced message goes on where it agrees, else is said anew", () => {
    const { show, shown } = setUp();
    show(begin, say("Hello"), { type: "message_chunk", messageId: "m1", text: "Hello there", replace: true });
    expect(shown()).toEqual(["", "Hello there"]);
    show({ type: "message_chunk", messageId: "m1", text: "Goodbye", replace: true });
    expect(shown()).toEqual(["", "Hello there", "", "Goodbye"]);
  });

  test("errors with category and remedy, notices, the queue", () => {
    const { show, shown, pause } = setUp({ width: 70 });
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
      "· once more",
      "  next: then this",
      "● working 0s · Ctrl-C interrupts",
    ]);
  });

  test("nothing an agent sends reaches the terminal as a command", () => {
    const evil = "\x1b]52;c;eA==\x07\x1b[2J\x9b1mEVIL\u202e\r";
    const { show, view } = setUp(); // the test terminal throws on what it doesn't know
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
    show({ type: "notice", code: "x", text: evil }, { type: "complete", turn: "t1", outcome: "failed", reason: evil });
    show({ type: "user_message", promptId: "u", content: [{ type: "text", text: evil }], delivery: "start" });
    show({ type: "rate_limit", status: "limited", scope: evil, resetsAt: evil });
    show({ type: "session_status", status: "parked", reason: evil, until: evil });
    view.finish({ ...blankRunInfo, run_id: RUN, status: "failed", error_summary: evil, output_path: evil });
    view.close();
  });

  test.each([1, 3, 10, 19])("a terminal of %d columns is no reason to fail", (width) => {
    const { show, view, pause, type } = setUp({ width, interactive: true });
    show(begin, say("some words that wrap"), call("c1", "a long title of a tool"), done("c1"), permission("p0"));
    pause();
    type("d");
    type("because");
    pause();
    show(end);
    view.close();
  });
});

describe("requests", () => {
  const box = ["┌ permission", "│ Run git push", "│ $ git push", "│ in /work", "└ [a]llow once  [A]lways  [d]eny"];

  test.each([
    ["a", { optionId: "o1" }],
    ["A", { optionId: "o2" }],
    ["d\r", { optionId: "o3" }],
    ["dnot on a friday\r", { optionId: "o3", reason: "not on a friday" }],
    ["2", { optionId: "o2" }],
  ])("%j answers a permission", (keys, answer) => {
    const { show, shown, pause, type, sent } = setUp();
    show(begin, permission("p0"));
    expect(shown().slice(-5)).toEqual(box);
    pause();
    for (const key of keys) type(key);
    expect(sent).toEqual([{ type: "answer", pendingId: "p0", answer }]);
    expect(shown().join("\n")).not.toContain("git push");
  });

  test("who was typing when it appeared allows nothing", () => {
    const { show, pause, type, sent } = setUp();
    show(begin, permission("p0"));
    for (const key of "a a a") {
      pause(100);
      type(key);
    }
    expect(sent).toEqual([]);
    pause(500);
    type("a");
    expect(sent).toHaveLength(1);
  });

  test("nor does it answer a question", () => {
    const { show, pause, type, sent } = setUp();
    show(begin, {
      type: "question_request",
      pendingId: "p0",
      questions: [{ id: "q", text: "Sure?", answer: "boolean" }],
    });
    type("y");
    expect(sent).toEqual([]);
    pause();
    type("y");
    expect(sent).toMatchObject([{ answer: { answers: { q: ["true"] } } }]);
  });

  test("what is pasted allows nothing", () => {
    const { show, pause, type, sent } = setUp();
    show(begin, permission("p0"));
    pause();
    type("\x1b[200~a\x1b[201~");
    type("a whole line at once, from a terminal that doesn't mark pastes");
    expect(sent).toEqual([]);
  });

  test("several, one after the other, and the second is not answered by the key for the first", () => {
    const { show, shown, pause, type, sent } = setUp();
    show(begin, permission("p0", "one"), permission("p1", "two"));
    expect(shown()[0]).toBe("┌ permission (1 more after this)");
    pause();
    type("a");
    type("a");
    expect(sent).toHaveLength(1);
    expect(shown().join("\n")).toContain("$ two");
    pause();
    type("a");
    expect(sent.map((command) => (command.type === "answer" ? command.pendingId : ""))).toEqual(["p0", "p1"]);
  });

  test("answered elsewhere, it goes away and says by whom", () => {
    const { show, shown, pause, type, sent } = setUp();
    show(begin, permission("p0"));
    show(resolved("p0", "tom@box terminal"));
    pause(200);
    expect(shown()).toEqual(["", "✓ allowed by tom@box terminal: Run git push", "● working 0s · Ctrl-C interrupts"]);
    pause();
    type("a");
    expect(sent).toEqual([]);
  });

  test("an answer that is refused is said, and the request is asked again", async () => {
    const { show, shown, pause, type, refuse } = setUp();
    refuse(new AppError("host.unreachable", "the host is busy"));
    show(begin, permission("p0"));
    pause();
    type("a");
    await new Promise((resolve) => setImmediate(resolve));
    expect(shown()).toEqual(["✗ the host is busy", ...box]);
  });

  test("a question by number, the next by text", () => {
    const { show, shown, pause, type, sent } = setUp();
    show(begin, {
      type: "question_request",
      pendingId: "p0",
      questions: [
        {
          id: "q1",
          text: "Which colour?",
          answer: "choice",
          choices: [
            { value: "r", label: "Red" },
            { value: "g", label: "Green" },
          ],
        },
        { id: "q2", text: "What name?", answer: "text" },
      ],
    });
    expect(shown()).toEqual([
      "┌ question",
      "│ question 1 of 2",
      "│ Which colour?",
      "│   1 Red",
      "│   2 Green",
      "│ press a number, or type  [Esc] decline",
      "└ >",
    ]);
    pause();
    type("2");
    expect(shown().slice(-4)).toEqual([
      "│ question 2 of 2",
      "│ What name?",
      "│ type an answer, then Enter  [Esc] decline",
      "└ >",
    ]);
    type("Ada");
    expect(shown().at(-1)).toBe("└ > Ada");
    type("\r");
    expect(sent).toEqual([{ type: "answer", pendingId: "p0", answer: { answers: { q1: ["g"], q2: ["Ada"] } } }]);
  });
});

describe("keys", () => {
  test("Ctrl-C is passed on", () => {
    const { show, type, calls } = setUp();
    show(begin, permission("p0"));
    type("\x03");
    expect(calls).toEqual(["interrupt"]);
  });

  test("a follow-up prompt, also while it works", () => {
    const { show, shown, type, sent, calls } = setUp({ interactive: true });
    show(opened);
    expect(shown()).toEqual([">"]);
    type("and now");
    type("\r");
    expect(sent).toMatchObject([{ type: "prompt", content: [{ type: "text", text: "and now" }], delivery: "queue" }]);
    show(begin, say("ok"));
    expect(shown()).toEqual(["", "ok", "● working 0s · Ctrl-C interrupts", ">"]);
    type("more\r");
    expect(sent).toHaveLength(2);
    show(end);
    type("/quit\r");
    type("\x04");
    expect(calls).toEqual(["end", "end"]);
  });

  test("a half-typed prompt survives a request, and isn't part of its answer", () => {
    const { show, shown, type, pause, sent } = setUp({ interactive: true });
    show(opened, begin);
    type("half a ");
    show(permission("p0"));
    type("thought");
    pause();
    type("d");
    type("\r");
    expect(sent).toMatchObject([{ type: "answer", answer: { optionId: "o3" } }]);
    show(resolved("p0"));
    expect(shown().at(-1)).toBe("> half a thought");
  });

  test("Ctrl-C first clears what is typed, while nothing runs", () => {
    const { show, shown, type, calls } = setUp({ interactive: true });
    show(opened);
    type("oops\x03");
    expect([shown(), calls]).toEqual([[">"], []]);
    type("\x03");
    expect(calls).toEqual(["interrupt"]);
  });
});

describe("the end", () => {
  test("a closing line, and the terminal as it was", () => {
    const { show, shown, view, context } = setUp({ width: 120 });
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
      "  output: /runs/x/output.md",
    ]);
    expect(context.raw).toBe(false);
    expect(context.stdin.listenerCount("data")).toBe(0);
  });

  test("a failure says why", () => {
    const { view, shown } = setUp({ width: 120 });
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
    const { view, show, context } = setUp();
    view.close();
    const before = context.out();
    view.close();
    show(say("late"));
    expect(context.out()).toBe(before);
  });
});
