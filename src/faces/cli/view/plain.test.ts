import { describe, expect, test } from "vitest";
import type { SentCommand } from "../../../contract/commands.ts";
import type { AgentEvent, EventOf, RecordedEvent } from "../../../contract/events.ts";
import { blankRunInfo, type RunInfo } from "../../../contract/runs/run.ts";
import { type Style, styleFor } from "../../../lib/command/style.ts";
import { testContext } from "../testing/test-context.ts";
import { createView } from "./index.ts";

function setUp(
  style: Style,
  options: { interactive?: boolean; tty?: boolean; leaves?: boolean; env?: NodeJS.ProcessEnv } = {},
) {
  const context = testContext({ tty: options.tty, env: { NO_COLOR: "1", ...options.env } });
  const sent: SentCommand[] = [];
  const calls: string[] = [];
  const view = createView({
    context,
    style,
    interactive: options.interactive ?? false,
    header: { run_id: "R", handle: 12, agent: "demo", model: "", cwd: "/w" },
    send: async (command) => void sent.push(command),
    readBody: String,
    onInterruptKey: () => {},
    onEnd: () => calls.push("end"),
    ...(options.leaves ? { onDetachKey: () => calls.push("leave") } : {}),
  });
  let seq = 0;
  const show = (...events: AgentEvent[]) =>
    view.show(events.map((event): RecordedEvent => ({ seq: (seq += 1), at: "2026-08-01T12:00:00Z", ...event })));
  const lines = () => context.out().split("\n").slice(1);
  return { context, view, show, sent, calls, lines, type: context.type };
}

const begin: AgentEvent = { type: "turn_started", turn: "t" };
const say = (text: string, messageId = "m"): AgentEvent => ({ type: "message_chunk", messageId, text });
const tool: AgentEvent = {
  type: "tool_call",
  toolCallId: "c",
  toolName: "Bash",
  toolTitle: "ls",
  kind: "execute",
  toolStatus: "running",
};
const permission: EventOf<"permission_request"> = {
  type: "permission_request",
  pendingId: "p0",
  permissionTitle: "Run ls",
  source: "protocol",
  actionType: "execute",
  actionDetails: { command: "ls" },
  permissionOptions: [
    { id: "y", label: "Yes", kind: "allow_once" },
    { id: "n", label: "No", kind: "reject_once" },
  ],
};
const ended: RunInfo = { ...blankRunInfo, run_id: "R", handle: 12, status: "completed", turns: 1, output_path: "/o" };
const failed: RunInfo = { ...ended, status: "failed", reason: "timeout", error_summary: "took \x1b[31mtoo long" };

describe("plain", () => {
  test("whole lines, without any movement", () => {
    const { context, show, view, lines } = setUp("plain");
    show(begin, say("Hel"));
    expect(lines()).toEqual(["", ""]);
    show(say("lo\nwor"));
    show(say("ld"), tool);
    show({ type: "tool_update", toolCallId: "c", outputChunk: "a" });
    show({ type: "tool_update", toolCallId: "c", toolStatus: "completed", result: "a" });
    view.finish(ended);
    view.close();
    expect(lines()).toEqual([
      "",
      "Hello",
      "world",
      "",
      "✓ ls  a",
      "",
      "✓ r12 completed · 1 turn",
      "  output:",
      "/o",
      "",
    ]);
    expect(context.out()).not.toMatch(/\x1b|\r/);
  });

  test("a tool that takes long is told before its end", () => {
    const { context, show, lines } = setUp("plain");
    show(begin, tool);
    context.clock.pass(1999);
    expect(lines()).toEqual(["", ""]);
    context.clock.pass(1);
    show({ type: "tool_update", toolCallId: "c", toolStatus: "completed", result: "a" });
    context.clock.pass(5000);
    expect(lines()).toEqual(["", "⋯ ls", "✓ ls  a", ""]);
  });

  test("the last words are printed although their line has no end", () => {
    const { show, view, lines } = setUp("plain");
    show(begin, say("bye"));
    view.close();
    expect(lines()).toEqual(["", "bye", ""]);
  });

  test("a request is printed with the command that answers it, once", () => {
    const { show, lines } = setUp("plain");
    show(begin, permission);
    show({ type: "notice", code: "x", text: "still here" });
    expect(lines().slice(1)).toEqual([
      "? permission r12.p0",
      "  Run ls",
      "  $ ls",
      "  answer: cox answer r12.p0 allow|always|deny",
      "",
      "· still here",
      "",
    ]);
  });

  test("a request that a policy answered at once is only told", () => {
    const { show, lines } = setUp("plain");
    show(begin, permission, { type: "request_resolved", pendingId: "p0", outcome: "allowed", by: "policy" });
    expect(lines()).toEqual(["", "✓ allowed by policy: Run ls", ""]);
  });

  test("a person at the keyboard answers by lines", () => {
    const { show, type, sent, lines } = setUp("plain", { tty: true });
    show(begin, permission);
    type("perhaps\n");
    expect(lines().join("\n")).toContain('✗ request p0: no answer "perhaps"');
    type("deny not ");
    type("now\nignored\n");
    expect(sent[0]).toEqual({ type: "answer", pendingId: "p0", answer: { optionId: "n", reason: "not now" } });
  });

  test("follow-up prompts are lines, the end of input is the end", () => {
    const { show, type, sent, calls, context } = setUp("plain", { interactive: true });
    show(begin, { type: "complete", turn: "t", outcome: "completed" });
    type("go on\n\n/quit\n");
    context.stdin.emit("end");
    expect(sent).toMatchObject([{ type: "prompt", content: [{ type: "text", text: "go on" }] }]);
    expect(calls).toEqual(["end", "end"]);
  });

  test("at a terminal that can only print lines it says what can be typed", () => {
    const { show, type, lines, sent } = setUp("plain", { tty: true, interactive: true, leaves: true });
    expect(lines().join(" ")).toBe(
      "· your lines are prompts, and answers to what is asked; /help shows what else can be typed ",
    );
    show(begin, permission);
    expect(lines()).toContain("  or here: allow|always|deny");
    type("/help\n");
    expect(lines()).toEqual(expect.arrayContaining([expect.stringMatching(/^ {2}Ctrl-D +leaves; the run goes on$/)]));
    expect(lines()).toEqual(expect.arrayContaining([expect.stringMatching(/^ {2}\/quit +ends the run$/)]));
    expect(sent).toEqual([]);
    type("allow\n");
    expect(sent).toMatchObject([{ type: "answer", answer: { optionId: "y" } }]);
  });

  test("of a pipe nobody is told what to type", () => {
    expect(setUp("plain").lines()).toEqual([""]);
  });

  test("Ctrl-D at a terminal leaves, where the run goes on without it", () => {
    const { context, calls } = setUp("plain", { tty: true, interactive: true, leaves: true });
    context.stdin.emit("end");
    expect(calls).toEqual(["leave"]);
  });

  test("text stays byte for byte, marks are ASCII where the locale is", () => {
    const { show, lines } = setUp("plain", { env: { LC_ALL: "C" } });
    show(begin, say("# **a** › `b`\n"), tool, { type: "tool_update", toolCallId: "c", toolStatus: "completed" });
    expect(lines()).toEqual(["", "# **a** › `b`", "", "+ ls", ""]);
  });

  test("what is piped in without -i is left alone", () => {
    const { context } = setUp("plain");
    expect(context.stdin.listenerCount("data")).toBe(0);
  });
});

describe("json", () => {
  test("one event per line and nothing else", () => {
    const { context, show, view } = setUp("json");
    show(begin, say("a\x1b[31m\nb"));
    view.finish(ended);
    view.close();
    const lines = context.out().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { seq: 1, ...begin },
      { seq: 2, text: "a\x1b[31m\nb" },
    ]);
    expect(context.err()).toBe("");
  });
});

describe("quiet", () => {
  test("only the final answer", () => {
    const { context, show, view } = setUp("quiet");
    show(begin, say("first\n", "m1"), tool, say("the ", "m2"));
    show(say("answer", "m2"), { type: "notice", code: "x", text: "not this" });
    view.finish(ended);
    expect([context.out(), context.err()]).toEqual(["the answer\n", ""]);
  });

  test("a failure on stderr", () => {
    const { context, view } = setUp("quiet");
    view.finish(failed);
    expect([context.out(), context.err()]).toEqual(["", "cox: run r12 failed (timeout): took too long\n"]);
  });

  test("a request that waits is told on stderr", () => {
    const { context, show } = setUp("quiet");
    show(begin, permission);
    expect(context.out()).toBe("");
    expect(context.err()).toContain("cox answer r12.p0 allow|always|deny");
  });
});

test.each([
  [{ json: true }, { TERM: "xterm" }, true, "json"],
  [{ quiet: true }, { TERM: "xterm" }, true, "quiet"],
  [{}, { TERM: "xterm" }, true, "live"],
  [{}, { TERM: "xterm", NO_COLOR: "1" }, true, "live"],
  [{}, { TERM: "dumb" }, true, "plain"],
  [{}, { TERM: "xterm" }, false, "plain"],
])("the style for %j, %j, terminal %s", (wishes, env, tty, style) => {
  expect(styleFor(wishes, { ...testContext({ tty }), env })).toBe(style);
});
