import { describe, expect, test } from "vitest";
import { rangeOf } from "./files.ts";

describe("a range of a file of 100 bytes", () => {
  test.each([
    ["all", undefined, undefined],
    ["the first ten", "bytes=0-9", { start: 0, end: 9 }],
    ["from the middle", "bytes=50-", { start: 50, end: 99 }],
    ["the last ten", "bytes=-10", { start: 90, end: 99 }],
    ["more than there is", "bytes=90-1000", { start: 90, end: 99 }],
    ["more at the end than there is", "bytes=-1000", { start: 0, end: 99 }],
    ["behind the end", "bytes=100-", "unsatisfiable"],
    ["backwards", "bytes=9-3", "unsatisfiable"],
    ["several", "bytes=0-1,5-6", undefined],
    ["another unit", "lines=1-2", undefined],
    ["nothing", "bytes=-", undefined],
    ["nothing at the end", "bytes=-0", "unsatisfiable"],
  ])("%s", (_, header, expected) => {
    expect(rangeOf(header, 100)).toEqual(expected);
  });
});
