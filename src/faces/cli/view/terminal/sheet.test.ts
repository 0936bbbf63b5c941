import { describe, expect, test } from "vitest";
import { noColours } from "../../../../lib/command/paint.ts";
import type { Key } from "../live/keys.ts";
import { drawn, further, type Reading, renderSheet, roomOf, type Sheet, scrolled, unread } from "./sheet.ts";

const page = { width: 40, paint: noColours };
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`);
const sheet = (body: number, more: Partial<Sheet> = {}): Sheet => ({
  id: "x",
  asks: "x",
  head: ["HEAD"],
  body: lines(body),
  foot: ["FOOT"],
  ...more,
});

describe("a sheet on a screen of 6 rows", () => {
  test.each([
    ["fits", sheet(4), 0, ["HEAD", "line 1", "line 2", "line 3", "line 4", "FOOT"]],
    ["at its top", sheet(9), 0, ["HEAD", "line 1", "line 2", "line 3", "… 6 lines below (PgDn)", "FOOT"]],
    ["in the middle", sheet(9), 2, ["HEAD", "line 3", "line 4", "line 5", "… 2 above, 4 lines below (PgDn)", "FOOT"]],
    ["at its end", sheet(9), 6, ["HEAD", "line 7", "line 8", "line 9", "… 6 lines above (PgUp)", "FOOT"]],
    [
      "must be read",
      sheet(5, { before: "before a yes" }),
      0,
      ["HEAD", "line 1", "line 2", "line 3", "… 2 lines below (PgDn) before a yes", "FOOT"],
    ],
  ])("%s", (_, shown, top, expected) => {
    expect(renderSheet(shown, { ...unread, top }, page, 6).lines).toEqual(expected);
  });

  test("the cursor stands in the last line", () => {
    expect(renderSheet(sheet(1, { cursor: 3 }), unread, page, 6).cursor).toEqual({ row: 2, column: 3 });
  });

  test("a head and a foot that leave nothing leave one row", () => {
    const tall = sheet(9, { head: ["1", "2", "3"], foot: ["4", "5", "6"] });
    expect(roomOf(tall, page, 6)).toEqual({ lines: 9, rows: 1, width: 40 });
  });
});

describe("reading", () => {
  const room = { lines: 9, rows: 3, width: 40 };
  const at = (top: number, seen: number): Reading => ({ top, seen, width: 40, isWhole: seen >= 9 });

  test.each<[string, Reading, Key["key"], number | undefined]>([
    ["down", at(0, 3), "down", 1],
    ["up at the top", at(0, 3), "up", 0],
    ["a page keeps one line in sight", at(0, 3), "pagedown", 2],
    ["not beyond the end", at(5, 8), "pagedown", 6],
    ["a page up", at(5, 8), "pageup", 3],
    ["the end", at(0, 3), "end", 6],
    ["the top", at(5, 8), "home", 0],
    ["other keys", at(0, 3), "enter", undefined],
  ])("%s", (_, before, key, top) => {
    expect(scrolled(before, { key } as Key, room, false)?.top).toBe(top);
  });

  test("the ends of a line that is typed are its own", () => {
    expect(scrolled(at(0, 3), { key: "end" }, room, true)).toBeUndefined();
    expect(scrolled(at(0, 3), { key: "pagedown" }, room, true)?.top).toBe(2);
  });

  test("whole is what was on the screen line by line", () => {
    let reading = drawn(unread, room);
    expect(reading).toEqual(at(0, 3));
    reading = drawn({ ...reading, top: 2 }, room);
    expect(reading).toEqual(at(2, 5));
    reading = drawn(further(reading), room);
    expect(reading).toEqual(at(5, 8));
    expect(drawn(further(reading), room)).toEqual(at(6, 9));
  });

  test("a jump to the end has seen nothing of what it passed over", () => {
    expect(drawn({ ...at(0, 3), top: 6 }, room)).toEqual(at(6, 3));
  });

  test("other lines at another width were not seen; what was whole stays so", () => {
    expect(drawn(at(2, 5), { ...room, width: 30 })).toMatchObject({ seen: 0, isWhole: false });
    expect(drawn(at(6, 9), { ...room, width: 30 })).toMatchObject({ isWhole: true });
  });
});
