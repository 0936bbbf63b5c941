import { openSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { rawAsk, startApp } from "../../lib/http/test-app.ts";
import { rangeOf, sendFile } from "./files.ts";

test("a file that shrinks while it is sent is cut off, not filled up with the next answer", async () => {
  const path = join(temporaryFolder(), "log");
  writeFileSync(path, "0123456789");
  const { port, close: stop } = await startApp([
    {
      method: "GET",
      path: "/log",
      access: "open",
      handle: async (exchange) => {
        const sending = sendFile(exchange, openSync(path, "r"), { name: "log" });
        if (exchange.url.search !== "") truncateSync(path, 4);
        await sending;
        return undefined;
      },
    },
  ]);
  onTestFinished(() => stop());
  const request = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}\r\n`;
  const close = "Connection: close\r\n";
  expect(await rawAsk(port, request("/log", close))).toContain("\r\n\r\n0123456789");
  const both = await rawAsk(port, request("/log?shrink") + request("/log", close));
  expect(both.split("HTTP/1.1")).toHaveLength(2);
});

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
