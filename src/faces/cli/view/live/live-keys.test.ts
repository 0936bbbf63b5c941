import { describe, expect, test, vi } from "vitest";
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
    const { show, shown, pause, press, sent } = liveView();
    show(begin, permission("p0", "git push"));
    expect(shown().slice(-5)).toEqual(box);
    pause();
    for (const key of keys) press(key);
    expect(sent).toEqual([{ type: "answer", pendingId: "p0", ...reply }]);
    expect(shown().join("\n")).not.toContain("git push");
  });

  test("who was typing when it appeared allows nothing", () => {
    const { show, pause, type, press, sent } = liveView();
    show(begin, permission("p0", "git push"));
    for (const key of "a a a") {
      pause(100);
      type(key);
    }
    expect(sent).toEqual([]);
    pause(500);
    press("a");
    expect(sent).toHaveLength(1);
  });

  test.each(["cat a.txt && make all", "attach latest", "A=1 make", "docker ps", "1password", "aa"])(
    "nor does %j, a command line that was meant for another window, typed long after it appeared",
    (line) => {
      const { show, pause, type, press, sent } = liveView();
      show(begin, permission("p0", "git push"));
      pause(3000);
      for (const key of `${line}\r`) {
        type(key);
        pause(120);
      }
      pause(1000);
      expect(sent).toEqual([]);
      press("a");
      expect(sent).toHaveLength(1);
    },
  );

  test("a key that decides says so before it does, and counts with Enter at once", () => {
    const { show, shown, pause, type, sent } = liveView();
    show(begin, permission("p0", "git push"));
    pause();
    type("A");
    expect(shown().slice(-2)).toEqual(["│ in /work", "└ always allow … any other key cancels"]);
    pause(299);
    expect(sent).toEqual([]);
    type("x");
    expect(shown().at(-1)).toBe(box.at(-1));
    pause(1000);
    expect(sent).toEqual([]);
    type("A");
    type("\r");
    expect(sent).toMatchObject([{ remember: "allow" }]);
  });

  test.each(["\x03", "\x1a", "\x1d", "\x04"])("%j takes it back, too", (key) => {
    const stop = vi.spyOn(process, "kill").mockReturnValue(true);
    const { show, pause, type, sent } = liveView({ leaves: true });
    show(begin, permission("p0", "git push"));
    pause();
    type("a");
    type(key);
    pause(1000);
    expect(sent).toEqual([]);
    stop.mockRestore();
  });

  test("nor does it answer a question", () => {
    const { show, pause, press, sent } = liveView();
    show(begin, {
      type: "question_request",
      pendingId: "p0",
      questions: [{ id: "q", text: "Sure?", answer: "boolean" }],
    });
    press("y");
    expect(sent).toEqual([]);
    pause();
    press("y");
    expect(sent).toMatchObject([{ answer: { answers: { q: ["true"] } } }]);
  });

  test("where letters are text, a key that others follow is the first of them", () => {
    const { show, shown, pause, type, sent } = liveView();
    const choices = [{ value: "1", label: "First" }];
    show(begin, {
      type: "question_request",
      pendingId: "p0",
      questions: [{ id: "q", text: "Which floor?", answer: "choice", choices, allowOther: true }],
    });
    pause();
    type("1");
    expect(shown().slice(-2)).toEqual(["│ answer First … any other key cancels", "└ >"]);
    for (const key of "st") type(key);
    pause(1000);
    expect([shown().at(-1), sent]).toEqual(["└ > 1st", []]);
    type("\r");
    expect(sent).toMatchObject([{ answer: { answers: { q: ["1st"] } } }]);
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
    const { show, shown, pause, press, sent } = liveView();
    show(begin, permission("p0", "one"), permission("p1", "two"));
    expect(shown()[0]).toBe("┌ permission (1 more after this)");
    pause();
    press("a");
    press("a");
    expect(sent).toHaveLength(1);
    expect(shown().join("\n")).toContain("$ two");
    pause();
    press("a");
    expect(sent.map((command) => (command.type === "answer" ? command.pendingId : ""))).toEqual(["p0", "p1"]);
  });

  test("a yes to what is cut shows all of it, page by page, and asks again", () => {
    const { show, shown, terminal, pause, press, sent } = liveView();
    const lines = Array.from({ length: 40 }, (_, i) => `echo ${i}`);
    show(begin, permission("p0", [...lines, "rm -rf /"].join("\n")));
    expect(shown().join("\n")).toContain("lines are not shown");
    expect(shown().join("\n")).toContain("rm -rf /");
    expect(shown()).toContain("│ a yes first shows all of it");
    pause();
    const seen = new Set<string>();
    for (const key of ["a", " ", "a"]) {
      press(key);
      press(key); // whoever presses twice has not read it between
      expect(sent).toEqual([]);
      for (const row of terminal.shown.slice(-24)) seen.add(row.replace(/^[│└][ $]+/, ""));
      pause();
    }
    for (const line of lines) expect(seen).toContain(line);
    press("a");
    expect(sent).toEqual([{ type: "answer", pendingId: "p0", answer: { optionId: "y" } }]);
  });

  test("on a small screen nothing is allowed of which a line was never on it", () => {
    const { show, shown, pause, type, press, sent } = liveView({ width: 40, height: 10 });
    const command = Array.from({ length: 16 }, (_, i) => `echo line ${i}`).join(" && ");
    show(begin, permission("p0", command));
    const screen = () => shown().slice(-9);
    expect(screen()[0]).toBe("┌ permission");
    expect(screen().slice(-2)).toEqual([
      expect.stringMatching(/^│ … \d+ lines below \(PgDn\) before a yes$/),
      "└ [a]llow once  [A]lways  [d]eny",
    ]);
    pause();
    type("\x1b[F"); // End: the middle was not seen
    expect(screen().join("\n")).toContain("line 15");
    press("a");
    expect(sent).toEqual([]);
    for (let i = 0; i < 12; i += 1) type("\x1b[5~");
    expect(screen().join("\n")).toContain("line 0");
    for (let i = 0; i < 12; i += 1) type("\x1b[6~");
    type("\x1b[H");
    expect(screen().join("\n")).not.toContain("before a yes"); // it was all seen
    pause();
    press("a");
    expect(sent).toHaveLength(1);
  });

  test("where the agent can't be told why, that is said before a reason is typed", () => {
    const { show, shown, pause, press } = liveView({ width: 100 });
    show(begin, { ...permission("p0"), takesReason: false });
    pause();
    press("d");
    expect(shown().at(-2)).toBe("│ denied; why? For the record: the agent can't be told. Enter sends, Esc: back");
    const small = liveView({ width: 40, height: 10 });
    small.show(begin, { ...permission("p0", "echo x && ".repeat(40)), takesReason: false });
    small.pause();
    small.press("d");
    expect(small.shown().slice(-4)).toEqual([
      "│ denied; why? For the record: the",
      "│ agent can't be told. Enter sends,",
      "│ Esc: back",
      "└ >",
    ]);
  });

  test("a no needs no reading", () => {
    const { show, pause, press, sent } = liveView({ width: 40, height: 10 });
    show(begin, permission("p0", "echo x && ".repeat(40)));
    pause();
    press("d");
    press("\r");
    expect(sent).toMatchObject([{ answer: { optionId: "n" } }]);
  });

  test("what doesn't fit on the screen is cut, too", () => {
    const { terminal, show, pause, press, sent } = liveView();
    const diffs = Array.from({ length: 12 }, (_, i) => ({
      path: `file-${i}.ts`,
      change: "modify" as const,
      unified: `@@ -1 +1 @@\n-old ${i}\n+new ${i}\n`,
    }));
    show(begin, { ...permission("p0"), actionDetails: { diffs } });
    expect(terminal.shown.join("\n")).not.toContain("+new 7");
    for (const file of ["+new 7", "+new 11", "+new 11"]) {
      pause();
      press("a");
      expect(sent).toEqual([]);
      expect(terminal.shown.join("\n")).toContain(file);
    }
    pause();
    press("a");
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
    for (const { show, pause, press } of [there, gone]) {
      show(begin, request);
      pause();
      press("a");
    }
    expect(there.shown().join("\n")).toContain("+the end");
    expect(gone.shown().join(" ")).toContain("not all of it can be shown");
    for (const { pause, press } of [there, gone]) {
      pause();
      press("a");
    }
    expect(there.sent).toHaveLength(1);
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
    const { show, shown, pause, press, refuse } = liveView();
    refuse(new AppError("host.unreachable", "the host is busy"));
    show(begin, permission("p0", "git push"));
    pause();
    press("a");
    await new Promise((resolve) => setImmediate(resolve));
    expect(shown()).toEqual(["✗ the host is busy", ...box]);
  });

  test("a question by number, the next by text", () => {
    const { show, shown, pause, type, press, sent } = liveView();
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
    press("2");
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

  test("? shows the keys, where it is no text", () => {
    const { show, shown, type, sent } = liveView({ leaves: true });
    show(begin);
    type("?");
    expect(shown().join("\n")).toMatch(
      /a, A, d .*allow what is asked[^]*Ctrl-C .*interrupts[^]*Ctrl-D, Ctrl-\] +leave; the run goes on/,
    );
    expect(shown().at(-1)).toMatch(/^● working/);
    expect(sent).toEqual([]);
  });

  test("? where something is asked, and in the middle of a prompt", () => {
    const asked = liveView();
    asked.show(begin, permission("p0", "git push"));
    asked.pause();
    asked.type("?");
    expect(asked.shown().join("\n")).toContain("Ctrl-C");
    expect(asked.shown().at(-1)).toContain("[a]llow once");
    const typing = liveView({ interactive: true });
    typing.show(opened);
    typing.type("why");
    typing.type("?\r");
    expect(typing.sent).toMatchObject([{ type: "prompt", content: [{ text: "why?" }] }]);
  });

  test("/help is ours, and says which other words the agent knows", () => {
    const { show, shown, type, sent } = liveView({ interactive: true, width: 100 });
    show(opened, { type: "commands", commands: [{ name: "init" }, { name: "review" }] });
    type("/help\r");
    expect(sent).toEqual([]);
    expect(shown().join("\n")).toMatch(
      /\/help +shows this[^]*\/quit +ends the run[^]*\/other words +go to the agent: \/init, \/review/,
    );
    type("/init\r");
    expect(sent).toMatchObject([{ type: "prompt", content: [{ text: "/init" }] }]);
  });

  test("Ctrl-D leaves, on an empty line; /quit ends", () => {
    const { show, type, calls } = liveView({ interactive: true, leaves: true });
    show(opened);
    type("half\x04");
    expect(calls).toEqual([]);
    type("\x15\x04");
    expect(calls).toEqual(["leave"]);
    type("/quit\r");
    expect(calls).toEqual(["leave", "end"]);
  });

  test("Ctrl-D leaves what is asked, but not a half-typed answer", () => {
    const { show, type, press, pause, calls } = liveView({ leaves: true });
    show(begin, permission("p0", "git push"));
    pause();
    press("d");
    type("no\x04");
    expect(calls).toEqual([]);
    type("\x1b");
    type("\x04");
    expect(calls).toEqual(["leave"]);
  });

  test("a half-typed prompt survives a request, and isn't part of its answer", () => {
    const { show, shown, type, press, pause, sent } = liveView({ interactive: true });
    show(opened, begin);
    type("half a ");
    show(permission("p0", "git push"));
    type("thought");
    pause();
    press("d");
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
  expect(shown().at(-1)).toMatch(/answer: cox answer .*\.p0 allow\|always\|deny/);
  expect(context.raw).toBeUndefined();
});
