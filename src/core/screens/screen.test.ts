import { afterEach, describe, expect, test } from "vitest";
import { withoutMiddle } from "./flood.ts";
import { Screen, type ScreenSnapshot } from "./screen.ts";

const screens: Screen[] = [];
afterEach(() => {
  for (const screen of screens.splice(0)) screen.close();
});

function open(cols = 40, rows = 6) {
  const replies: string[] = [];
  const pressure: boolean[] = [];
  const screen = new Screen({
    cols,
    rows,
    onReply: (data) => replies.push(data),
    onPressure: (high) => pressure.push(high),
  });
  screens.push(screen);
  const show = async (...parts: (string | Buffer)[]): Promise<ScreenSnapshot> => {
    for (const part of parts) screen.write(Buffer.from(part));
    await screen.settled();
    return screen.snapshot();
  };
  return { screen, show, replies, pressure };
}

describe("a screen", () => {
  test("has a line per row, without the blanks at its end", async () => {
    const { lines, cursor, cols, rows } = await open().show("one  \r\n  two");
    expect(lines).toEqual(["one", "  two", "", "", "", ""]);
    expect({ cursor, cols, rows }).toEqual({ cursor: { row: 1, col: 5 }, cols: 40, rows: 6 });
  });

  test("counts the pieces it was given", async () => {
    expect((await open().show("a", "b", "c")).seq).toBe(3);
  });

  test("knows the other screen, and what was on the first", async () => {
    const { show } = open();
    expect(await show("first\x1b[?1049h\x1b[Hsecond")).toMatchObject({
      alt_screen: true,
      lines: expect.arrayContaining(["second"]),
    });
    expect(await show("\x1b[?1049l")).toMatchObject({ alt_screen: false, lines: expect.arrayContaining(["first"]) });
  });

  test.each([
    ["bold red", "\x1b[1;31mx\x1b[0m y", "\x1b[1;31mx\x1b[0m y"],
    ["bright and palette", "\x1b[92ma\x1b[38;5;200mb\x1b[m", "\x1b[92ma\x1b[0m\x1b[38;5;200mb\x1b[0m"],
    ["rgb on rgb", "\x1b[38;2;1;2;3;48;2;4;5;6mz\x1b[m", "\x1b[38;2;1;2;3;48;2;4;5;6mz\x1b[0m"],
    ["a coloured blank counts", "a\x1b[41m  \x1b[m", "a\x1b[41m  \x1b[0m"],
    ["wide characters", "日本", "日本"],
    ["underline, inverse, struck", "\x1b[4;7;9mu\x1b[m", "\x1b[4;7;9mu\x1b[0m"],
  ])("keeps colours: %s", async (_, input, ansi) => {
    expect((await open().show(input)).ansi[0]).toBe(ansi);
  });

  test("a row painted from its ansi looks like the row", async () => {
    const first = await open().show("\x1b[1mA\x1b[0;44mB\x1b[38;5;9mC\x1b[m D\x1b[7m \x1b[m");
    const second = await open().show(first.ansi.join("\r\n"));
    expect(second.ansi).toEqual(first.ansi);
  });

  test("draws line art", async () => {
    expect((await open().show("\x1b(0lqk\x1b(B")).lines[0]).toBe("┌─┐");
  });

  test("answers what a program asks its terminal", async () => {
    const { show, replies } = open();
    await show("abc\x1b[6n\x1b[c");
    expect(replies).toEqual(["\x1b[1;4R", expect.stringMatching(/^\x1b\[\?/)]);
  });

  test("takes characters that come in pieces", async () => {
    const bytes = Buffer.from("ä€🙂");
    const { show } = open();
    expect((await show(...[...bytes].map((byte) => Buffer.from([byte])))).lines[0]).toBe("ä€🙂");
  });

  test("says when too much waits to be drawn, and when no longer", async () => {
    const { screen, pressure } = open();
    for (let part = 0; part < 40; part += 1) screen.write(Buffer.from(`\x1b[31m${"x".repeat(50_000)}`));
    expect(pressure).toEqual([true]);
    await screen.settled();
    expect(pressure).toEqual([true, false]);
  });

  test("knows whether pastes are to be marked", async () => {
    const { screen, show } = open();
    await show("\x1b[?2004h");
    expect(screen.marksPastes).toBe(true);
    screen.reset();
    await screen.settled();
    expect(screen.marksPastes).toBe(false);
  });
});

describe("a flood", () => {
  const lines = (count: number, length = 30) =>
    Array.from({ length: count }, (_, at) => `${at} `.padEnd(length, String.fromCharCode(97 + (at % 26)))).join("\r\n");

  test("of plain lines loses its middle", () => {
    const bytes = Buffer.from(lines(5000));
    const parts = withoutMiddle(bytes, 24);
    expect(parts?.map((part) => part.length).reduce((a, b) => a + b)).toBeLessThan(8000);
    expect(parts?.[0].toString().endsWith("\r\n")).toBe(true);
    expect(bytes.toString().endsWith(`\r\n${parts?.[1].toString()}`)).toBe(true);
  });

  test.each([
    ["little", lines(20)],
    ["an escape in it", `${lines(3000)}\x1b[m${lines(3000)}`],
    ["a bell", `${lines(3000)}\x07`],
    ["a C1 control", `${lines(3000)}\u0085x`],
    ["bare line feeds", lines(3000).replaceAll("\r", "")],
    ["one endless line", "x".repeat(100_000)],
  ])("stays whole: %s", (_, text) => {
    expect(withoutMiddle(Buffer.from(text), 24)).toBeUndefined();
  });

  /** Random text of the same seed in one flood, and in pieces too small to be one. */
  test.each(Array.from({ length: 25 }, (_, seed) => [seed]))(
    "looks the same as drawn to the end (%i)",
    async (seed) => {
      let state = seed * 7919 + 13;
      const random = (below: number) => {
        state = (state * 1103515245 + 12345) % 2147483648;
        return Math.floor((state / 2147483648) * below);
      };
      const preludes = [
        "",
        "\x1b[3;5r\x1b[4;1H",
        "\x1b[2;4r\x1b[6;3H",
        "\x1b[?7l",
        "\x1b[4h",
        "\x1b[31;44m",
        "\x1b[?1049h",
        "\x1b[3;9H",
      ];
      const prelude = Buffer.from(preludes[random(preludes.length)] ?? "");
      const words = Array.from({ length: 1500 }, () => `${"日é\tx y".slice(0, random(6))}${"z".repeat(random(90))}`);
      const flood = Buffer.from(words.join("\r\n"));
      const whole = await open().show(prelude, flood, "end");
      const pieces: Buffer[] = [];
      for (let at = 0; at < flood.length; at += 1000) pieces.push(flood.subarray(at, at + 1000));
      const { screen } = open();
      for (const piece of [prelude, ...pieces, Buffer.from("end")]) {
        screen.write(piece);
        await screen.settled();
      }
      const { seq: _, ...drawn } = screen.snapshot();
      expect(whole).toMatchObject(drawn);
    },
  );
});
