import { describe, expect, test } from "vitest";
import { decodeCursor, encodeCursor } from "./cursor.ts";

const runId = (n: number) =>
  `20261115-${String(850_000_000 + n).padStart(10, "0")}-0001234-${String(n).padStart(4, "0")}`;

describe("a cursor", () => {
  test("comes back as it was", () => {
    const position = {
      ledger: 12_345,
      at: 1_800_000_000_000,
      runs: new Map([[runId(1), 17]]),
      buses: new Map([
        ["shop", 10],
        ["shop/task-1", 20],
      ]),
    };
    expect(decodeCursor(encodeCursor(position))).toEqual(position);
  });

  test("of three hundred live runs fits into a header", () => {
    const runs = new Map(Array.from({ length: 300 }, (_, i): [string, number] => [runId(i), i * 17]));
    const cursor = encodeCursor({ ledger: 1, at: 2, runs, buses: new Map() });
    expect(cursor.length).toBeLessThan(8000);
    expect(decodeCursor(cursor).runs).toEqual(runs);
  });

  const packed = (value: unknown) => `j${Buffer.from(JSON.stringify(value)).toString("base64url")}`;
  test.each([
    ["nothing", ""],
    ["a number", "17"],
    ["no JSON", "jAAAA"],
    ["not packed", "zAAAA"],
    ["a path for a run", packed([1, 1, { "../../etc": 1 }, {}])],
    ["a path for a bus", packed([1, 1, {}, { "../x": 1 }])],
    ["three parts", packed([1, 1, {}, { "a/b/c": 1 }])],
    ["a negative offset", packed([-1, 1, {}, {}])],
    ["a broken number", packed([1.5, 1, {}, {}])],
    ["too little", packed([1, 1, {}])],
  ])("that is none is refused: %s", (_, text) => {
    expect(() => decodeCursor(text)).toThrow(expect.objectContaining({ code: "usage.invalid" }));
  });
});
