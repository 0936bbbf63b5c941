import { describe, expect, test } from "vitest";
import { EventParser } from "../../../lib/client/event-parser.ts";
import { type Frames, frameControl, frameEvents, HEARTBEAT, TOO_SLOW, withCursor } from "./frames.ts";

const line = (seq: number, type = "notice", text = "x") =>
  `{"seq":${seq},"at":"2026-11-15T00:00:00.000Z","type":"${type}","text":${JSON.stringify(text)}}`;
const journal = (...lines: string[]) => Buffer.from(lines.map((each) => `\n${each}\n`).join(""));
const parsed = (...frames: (Buffer | Frames)[]) =>
  new EventParser().push(Buffer.concat(frames.map((one) => ("bytes" in one ? one.bytes : one))).toString());

describe("lines of a log as server-sent events", () => {
  test("bear the event's number and its line, unchanged", () => {
    const text = "two\nlines, \u2028 é 😀 \r and id: 5";
    const events = parsed(frameEvents(journal(line(1), line(2, "notice", text))));
    expect(events.map(({ id, event }) => [id, event])).toEqual([
      ["1", "message"],
      ["2", "message"],
    ]);
    expect(JSON.parse(events[1]?.data ?? "")).toMatchObject({ seq: 2, text });
  });

  test("name their run where there are several, and the batch bears one cursor", () => {
    const frames = [
      frameEvents(journal(line(1)), { event: "r1" }),
      frameEvents(journal(line(7), line(8)), { event: "r2" }),
    ];
    expect(parsed(withCursor(frames, "c1")).map(({ id, event }) => [event, id])).toEqual([
      ["r1", undefined],
      ["r2", undefined],
      ["r2", "c1"],
    ]);
  });

  test("leave out what was torn, and what isn't wanted", () => {
    const lines = journal(line(1, "usage"), '{"seq":2,"at":"2026', line(2, "complete"), "garbage", line(3, "notice"));
    const types = new Set(["complete", "notice"]);
    expect(parsed(frameEvents(lines, { types })).map(({ id }) => id)).toEqual(["2", "3"]);
    const late = journal('{"seq":4,"at":"t","turn":"t1","type":"complete"}');
    expect(parsed(frameEvents(late, { types }))).toHaveLength(1);
  });

  test("short lines take more room than they had", () => {
    const short = Array.from({ length: 5000 }, (_, i) => `{"seq":${i + 1},"a":1}`);
    expect(parsed(frameEvents(Buffer.from(`${short.join("\n")}\n`), { event: "a".repeat(40) }))).toHaveLength(5000);
  });
});

test("what the stream says itself", () => {
  expect(parsed(HEARTBEAT, frameControl("live", "3"), TOO_SLOW)).toEqual([
    { event: "live", id: "3", data: "{}" },
    { event: "reset", data: expect.stringContaining("slow") },
  ]);
});
