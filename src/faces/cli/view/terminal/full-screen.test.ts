import { describe, expect, onTestFinished, test } from "vitest";
import { testContext } from "../../testing/test-context.ts";
import type { Key } from "../live/keys.ts";
import { TestTerminal } from "../live/testing/test-terminal.ts";
import { FullScreen, type KeyTime, requireTerminal } from "./full-screen.ts";
import type { Sheet } from "./sheet.ts";

/** An app that writes down its keys, on a terminal of 30 by 8. */
function opened(first: Partial<Sheet> = {}, press: (time: KeyTime) => "more" | "leave" | undefined = () => undefined) {
  const terminal = new TestTerminal(30, 8);
  const size = { columns: 30, rows: 8 };
  const context = testContext({ env: { NO_COLOR: "1" }, tty: size, onWrite: (text) => terminal.write(text) });
  terminal.write("$ cox x\n");
  const sheet: Sheet = { id: "1", asks: "1", head: ["HEAD"], body: ["body"], foot: ["FOOT"], ...first };
  const app = {
    sheet,
    pressed: [] as string[],
    /** As long as drawing takes. */
    slow: 0,
    show() {
      context.clock.pass(app.slow);
      return app.sheet;
    },
    press(key: Key, time: KeyTime) {
      const { isSettled, isRead } = time;
      const name = key.key === "text" ? key.text : key.key;
      app.pressed.push(`${name}${isSettled ? "" : " too early"}${isRead ? "" : " unread"}`);
      return press(time);
    },
  };
  const screen = new FullScreen(context, app);
  onTestFinished(() => screen.close());
  return { terminal, context, app, screen, type: context.type, pause: (ms = 500) => context.clock.pass(ms) };
}

const long = { body: Array.from({ length: 12 }, (_, i) => `line ${i + 1}`) };

describe("keys", () => {
  test("rest until something new was there for a moment without typing", () => {
    const { app, screen, type, pause } = opened();
    pause(499);
    type("a");
    pause(499);
    type("b");
    pause();
    type("c");
    type("d");
    app.sheet = { ...app.sheet, asks: "2" };
    screen.refresh();
    type("e");
    pause();
    type("f");
    expect(app.pressed).toEqual(["a too early", "b too early", "c", "d", "e too early", "f"]);
  });

  test("what was typed while it was drawn was typed before it was there", () => {
    const { app, screen, type, pause } = opened();
    pause();
    app.sheet = { ...app.sheet, asks: "2" };
    app.slow = 2000;
    screen.refresh();
    app.slow = 0;
    type("a");
    expect(app.pressed).toEqual(["a too early"]);
  });

  test("the second of two that came together is not for what the first one brought", () => {
    const { app, type, pause } = opened({}, () => {
      app.sheet = { ...app.sheet, asks: `${app.sheet.asks}+` };
      return undefined;
    });
    pause();
    type("\r\r");
    expect(app.pressed).toEqual(["enter", "enter too early"]);
  });

  test.each([
    ["Ctrl-C", "\x03"],
    ["Ctrl-D", "\x04"],
    ["Ctrl-]", "\x1d"],
  ])("%s leaves at once", (_, key) => {
    const { screen, type, context, terminal } = opened();
    type(key);
    expect(screen.left.aborted).toBe(true);
    screen.close();
    expect({ code: screen.code, raw: context.raw, shown: terminal.shown }).toEqual({
      code: 0,
      raw: false,
      shown: ["$ cox x"],
    });
  });
});

describe("a body that is longer than the screen", () => {
  test("is read when all of it was on the screen", () => {
    const { terminal, app, type, pause } = opened(long);
    expect(terminal.shown).toEqual([
      "$ cox x",
      "HEAD",
      "line 1",
      "line 2",
      "line 3",
      "line 4",
      "… 8 lines below (PgDn)",
      "FOOT",
    ]);
    pause();
    type("\x1b[F"); // to the end
    type("a");
    for (let i = 0; i < 3; i += 1) type("\x1b[5~");
    for (let i = 0; i < 3; i += 1) type("\x1b[6~");
    type("b");
    expect(app.pressed).toEqual(["a unread", "b"]);
  });

  test("is shown further on the app's wish, and keys rest at each step", () => {
    const { terminal, app, type, pause } = opened(long, ({ isSettled }) => (isSettled ? "more" : undefined));
    pause();
    type("a");
    expect(terminal.shown.slice(2, 4)).toEqual(["line 5", "line 6"]);
    type("a");
    pause();
    type("a");
    pause();
    type("a");
    expect(app.pressed).toEqual(["a unread", "a too early unread", "a unread", "a"]);
  });

  test("one that can't be shown whole is never read", () => {
    const { app, type, pause } = opened({ isCut: true });
    pause();
    type("a");
    expect(app.pressed).toEqual(["a unread"]);
  });

  test("comes back where it was left", () => {
    const { terminal, app, screen, type, pause } = opened(long);
    pause();
    type("\x1b[6~");
    const first = app.sheet;
    app.sheet = { ...first, id: "2", asks: "2" };
    screen.refresh();
    expect(terminal.shown[2]).toBe("line 1");
    app.sheet = first;
    screen.refresh();
    expect(terminal.shown[2]).toBe("line 4");
  });
});

test("what is said stays above, also on a full screen and afterwards", () => {
  const { terminal, screen } = opened(long);
  screen.say(() => ["said"]);
  screen.refresh();
  expect(terminal.shown.slice(-8)[0]).toBe("said");
  screen.close();
  expect(terminal.shown).toEqual(["$ cox x", "said"]);
});

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s leaves, and the terminal is given back", (signal, code) => {
  const { screen, context } = opened();
  process.emit(signal, signal);
  screen.close();
  expect({ code: screen.code, raw: context.raw }).toEqual({ code, raw: false });
  expect(process.listenerCount(signal)).toBe(0);
});

test.each([
  ["no terminal", testContext(), "cox x: needs a terminal; do y"],
  [
    "a dumb one",
    testContext({ tty: true, env: { TERM: "dumb" } }),
    "cox x: this terminal (TERM=dumb) can't show it; do y",
  ],
])("%s", (_, context, message) => {
  expect(() => requireTerminal(context, "cox x", "do y")).toThrow(message);
});
