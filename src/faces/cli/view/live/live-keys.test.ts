import { describe, expect, test } from "vitest";
import { AppError } from "../../../../contract/errors.ts";
import { begin, end, opened, permission, resolved, say } from "../../testing/test-events.ts";
import { liveView } from "./testing/test-live-view.ts";

describe("requests", () => {
  const box = ["┌ permission", "│ Run git push", "│ $ git push", "│ in /work", "└ [a]llow once  [A]lways  [d]eny"];

  test.each([
    ["a", { answer: { optionId: "y" } }],
    ["A", { answer: { optionId: "y" }, remember: "allow" }],
    ["d\r", { answer: { optionId: "n" } }],
    ["dnot on a friday\r", { answer: { optionId: "n", reason: "not on a friday" } }],
    ["2", { answer: { optionId: "Y" } }],
  ])("%j answers a permission", (keys, reply) => {
    const { show, shown, pause, type, sent } = liveView();
    show(begin, permission("p0", "git push"));
    expect(shown().slice(-5)).toEqual(box);
    pause();
    for (const key of keys) type(key);
    expect(sent).toEqual([{ type: "answer", pendingId: "p0", ...reply }]);
    expect(shown().join("\n")).not.toContain("git push");
  });

  test("who was typing when it appeared allows nothing", () => {
    const { show, pause, type, sent } = liveView();
    show(begin, permission("p0", "git push"));
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
    const { show, pause, type, sent } = liveView();
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
    const { show, pause, type, sent } = liveView();
    show(begin, permission("p0", "git push"));
    pause();
    type("\x1b[200~a\x1b[201~");
    type("a whole line at once, from a terminal that doesn't mark pastes");
    expect(sent).toEqual([]);
  });

  test("several, one after the other, and the second is not answered by the key for the first", () => {
    const { show, shown, pause, type, sent } = liveView();
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

  test("a yes to what is cut shows all of it and asks again", () => {
    const { terminal, show, shown, pause, type, sent } = liveView();
    const lines = Array.from({ length: 40 }, (_, i) => `echo ${i}`);
    show(begin, permission("p0", [...lines, "rm -rf /"].join("\n")));
    expect(shown().join("\n")).toContain("lines are not shown");
    expect(shown().join("\n")).toContain("rm -rf /");
    expect(shown()).toContain("│ a yes first shows all of it");
    pause();
    type("a");
    type("a"); // whoever presses twice has not read it between
    expect(sent).toEqual([]);
    for (const line of lines) expect(terminal.shown.some((row) => row.endsWith(line))).toBe(true);
    expect(shown()).toContain("│ all of it is shown above");
    pause();
    type("a");
    expect(sent).toEqual([{ type: "answer", pendingId: "p0", answer: { optionId: "y" } }]);
  });

  test("what doesn't fit on the screen is cut, too", () => {
    const { terminal, show, pause, type, sent } = liveView();
    const diffs = Array.from({ length: 12 }, (_, i) => ({
      path: `file-${i}.ts`,
      change: "modify" as const,
      unified: `@@ -1 +1 @@\n-old ${i}\n+new ${i}\n`,
    }));
    show(begin, { ...permission("p0"), actionDetails: { diffs } });
    expect(terminal.shown.join("\n")).not.toContain("+new 8");
    pause();
    type("a");
    expect(sent).toEqual([]);
    expect(terminal.shown.join("\n")).toContain("+new 8");
    pause();
    type("a");
    expect(sent).toHaveLength(1);
  });

  test("what lies elsewhere is read; where it can't be, nothing is allowed", () => {
    const unified = { head: "@@ -0,0 +1,2 @@\n+one\n", bytes: 99_999, sha256: "h" };
    const request = {
      ...permission("p0"),
      actionDetails: { diffs: [{ path: "a.ts", change: "create" as const, unified }] },
    };
    const there = liveView({ blobs: { h: "@@ -0,0 +1,2 @@\n+one\n+the end\n" } });
    const gone = liveView();
    for (const { show, pause, type } of [there, gone]) {
      show(begin, request);
      pause();
      type("a");
      pause();
      type("a");
    }
    expect(there.shown().join("\n")).toContain("+the end");
    expect(there.sent).toHaveLength(1);
    expect(gone.shown().join(" ")).toContain("not all of it can be shown");
    expect(gone.sent).toEqual([]);
  });

  test("answered elsewhere, it goes away and says by whom", () => {
    const { show, shown, pause, type, sent } = liveView();
    show(begin, permission("p0", "git push"));
    show(resolved("p0", "tom@box terminal"));
    pause(200);
    expect(shown()).toEqual(["", "✓ allowed by tom@box terminal: Run git push", "● working 0s · Ctrl-C interrupts"]);
    pause();
    type("a");
    expect(sent).toEqual([]);
  });

  test("an answer that is refused is said, and the request is asked again", async () => {
    const { show, shown, pause, type, refuse } = liveView();
    refuse(new AppError("host.unreachable", "the host is busy"));
    show(begin, permission("p0", "git push"));
    pause();
    type("a");
    await new Promise((resolve) => setImmediate(resolve));
    expect(shown()).toEqual(["✗ the host is busy", ...box]);
  });

  test("a question by number, the next by text", () => {
    const { show, shown, pause, type, sent } = liveView();
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
    const { show, type, calls } = liveView();
    show(begin, permission("p0", "git push"));
    type("\x03");
    expect(calls).toEqual(["interrupt"]);
  });

  test("a follow-up prompt, also while it works", () => {
    const { show, shown, type, sent, calls } = liveView({ interactive: true });
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
    const { show, shown, type, pause, sent } = liveView({ interactive: true });
    show(opened, begin);
    type("half a ");
    show(permission("p0", "git push"));
    type("thought");
    pause();
    type("d");
    type("\r");
    expect(sent).toMatchObject([{ type: "answer", answer: { optionId: "n" } }]);
    show(resolved("p0"));
    expect(shown().at(-1)).toBe("> half a thought");
  });

  test("Ctrl-C first clears what is typed, while nothing runs", () => {
    const { show, shown, type, calls } = liveView({ interactive: true });
    show(opened);
    type("oops\x03");
    expect([shown(), calls]).toEqual([[">"], []]);
    type("\x03");
    expect(calls).toEqual(["interrupt"]);
  });
});

test("without a keyboard the box names the command instead of keys", () => {
  const { show, shown, context } = liveView({ width: 100, keyboard: false });
  show(begin, permission("p0"));
  expect(shown().at(-1)).toMatch(/answer: cox answer .*\/p0 allow\|always\|deny/);
  expect(context.raw).toBeUndefined();
});
