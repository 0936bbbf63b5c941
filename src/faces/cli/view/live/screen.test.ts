import { describe, expect, test } from "vitest";
import { Screen } from "./screen.ts";
import { TestTerminal } from "./testing/test-terminal.ts";

function setUp(width?: number, height?: number) {
  const terminal = new TestTerminal(width, height);
  return { terminal, screen: new Screen(terminal) };
}
const footer = (...lines: string[]) => ({ lines });

describe("Screen", () => {
  test("a footer stays below what is written", () => {
    const { terminal, screen } = setUp();
    screen.setFooter(footer("working"));
    screen.lines(["one"]);
    screen.flush(true);
    screen.lines(["two"]);
    screen.flush(true);
    expect(terminal.shown).toEqual(["one", "two", "working"]);
    screen.setFooter(footer());
    screen.flush(true);
    expect(terminal.shown).toEqual(["one", "two"]);
  });

  test("streamed text goes on in its line, the footer notwithstanding", () => {
    const { terminal, screen } = setUp();
    screen.setFooter(footer("working", "really"));
    for (const part of ["Hel", "lo\nwor", "ld"]) {
      screen.stream(part);
      screen.flush(true);
    }
    expect(terminal.shown).toEqual(["Hello", "world", "working", "really"]);
    screen.lines(["next"]);
    screen.flush(true);
    expect(terminal.shown).toEqual(["Hello", "world", "next", "working", "really"]);
  });

  test.each([1, 2, 3, 7])("text that wraps, %d letters at a time", (size) => {
    const { terminal, screen } = setUp(10);
    screen.setFooter(footer("working"));
    const text = "abcdefghijklmnopqrstuvwxyz0123";
    for (let at = 0; at < text.length; at += size) {
      screen.stream(text.slice(at, at + size));
      screen.flush(true);
    }
    expect(terminal.shown).toEqual(["abcdefghij", "klmnopqrst", "uvwxyz0123", "working"]);
  });

  test("wide letters and tabs keep their place", () => {
    const { terminal, screen } = setUp(20);
    screen.setFooter(footer("working"));
    for (const part of ["漢字", "漢", "\tx", "y"]) {
      screen.stream(part);
      screen.flush(true);
    }
    expect(terminal.shown[0]?.replace(/\s+/g, " ")).toBe("漢字漢 xy");
    expect(terminal.shown[1]).toBe("working");
  });

  test("the last lines can be replaced, also one of several", () => {
    const { terminal, screen } = setUp();
    screen.setFooter(footer("working"));
    screen.keep("a", ["⋯ a"], false);
    screen.keep("b", ["⋯ b"], false);
    screen.flush(true);
    screen.keep("a", ["✓ a", "  +1"], true);
    screen.flush(true);
    expect(terminal.shown).toEqual(["✓ a", "  +1", "⋯ b", "working"]);
  });

  test("a line that others follow is written anew", () => {
    const { terminal, screen } = setUp();
    screen.keep("a", ["⋯ a"], false);
    screen.stream("text");
    screen.keep("a", ["⋯ a, still"], false);
    screen.keep("a", ["✓ a"], true);
    screen.flush(true);
    expect(terminal.shown).toEqual(["⋯ a", "text", "✓ a"]);
  });

  test("what has left the screen is not touched", () => {
    const { terminal, screen } = setUp(40, 5);
    for (const id of "abcdef") screen.keep(id, [`⋯ ${id}`], false);
    screen.keep("a", ["✓ a"], true);
    screen.flush(true);
    expect(terminal.shown).toEqual(["⋯ a", "⋯ b", "⋯ c", "⋯ d", "⋯ e", "⋯ f", "✓ a"]);
  });

  test("gaps don't add up", () => {
    const { terminal, screen } = setUp();
    screen.gap();
    screen.lines(["a"]);
    screen.gap();
    screen.gap();
    screen.stream("b\n\n");
    screen.gap();
    screen.lines(["c"]);
    screen.flush(true);
    expect(terminal.shown).toEqual(["a", "", "b", "", "c"]);
  });

  test("a cursor inside the footer", () => {
    const { terminal, screen } = setUp();
    screen.stream("open");
    screen.setFooter({ lines: ["> typed", "below"], cursor: { row: 0, column: 3 } });
    screen.flush(true);
    expect(terminal.cursor).toEqual({ row: 1, column: 3 });
    screen.stream(" line");
    screen.flush(true);
    expect(terminal.shown).toEqual(["open line", "> typed", "below"]);
  });

  test("a footer higher than the screen keeps its first and last lines", () => {
    const { terminal, screen } = setUp(60, 8);
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`);
    screen.setFooter({ lines, cursor: { row: 19, column: 0 } });
    screen.flush(true);
    screen.lines(["above"]);
    screen.flush(true);
    expect(terminal.shown).toEqual([
      "above",
      "line 0",
      "line 1",
      "line 2",
      "(14 lines more; enlarge the window)",
      "line 17",
      "line 18",
      "line 19",
    ]);
  });

  test("one write per flush, none without news", () => {
    const { terminal, screen } = setUp();
    screen.lines(["a", "b"]);
    screen.keep("x", ["c"], false);
    screen.flush(true);
    screen.flush(false);
    expect(terminal.writes).toBe(1);
  });
});
