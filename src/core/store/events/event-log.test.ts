import { readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import { parseJournal } from "../../../lib/files/journal-line.ts";
import { Blobs } from "../blobs.ts";
import { EventLog } from "./event-log.ts";

const say = (text: string): AgentEvent => ({ type: "message_chunk", messageId: "m", text });
const seqs = (path: string) => parseJournal(readFileSync(path)).records.map(({ value }) => value.seq);

test("seq is dense, comes first in the line, and goes on after a reopening, torn or not", () => {
  const path = join(temporaryFolder(), "events.jsonl");
  const first = new EventLog(path);
  expect(first.append([say("a"), say("b")], "2026")).toBe(1);
  first.close();
  expect(readFileSync(path, "utf8").trim().split("\n")[0]).toMatch(/^\{"seq":1,"at":"2026","type":/);
  truncateSync(path, readFileSync(path).length - 10); // the last record is torn
  const second = new EventLog(path);
  expect(second.append([say("c")], "2026")).toBe(2);
  second.close();
  expect(seqs(path)).toEqual([1, 2]);
});

test("several events are one write, each between newlines of its own; none is no write", () => {
  const path = join(temporaryFolder(), "events.jsonl");
  const log = new EventLog(path);
  expect(log.append([], "2026")).toBe(1);
  expect(readFileSync(path, "utf8")).toBe("");
  log.append([say("a\nb"), say("\u2028")], "2026");
  log.close();
  const record = (seq: number, text: string) =>
    `\n{"seq":${seq},"at":"2026","type":"message_chunk","messageId":"m","text":${JSON.stringify(text)}}\n`;
  expect(readFileSync(path, "utf8")).toBe(record(1, "a\nb") + record(2, "\u2028"));
});

test("an event too deep to be written is said, and the log goes on", () => {
  const path = join(temporaryFolder(), "events.jsonl");
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i += 1) deep = [deep];
  const log = new EventLog(path);
  log.append([{ type: "notice", code: "x", text: "x", data: deep }, say("after")], "2026");
  log.close();
  const types = parseJournal(readFileSync(path)).records.map(({ value }) => value.code ?? value.type);
  expect(types).toEqual(["unwritable_event", "message_chunk"]);
});

test("texts over 64 KB go into blobs, once", () => {
  const blobs = new Blobs(join(temporaryFolder(), "blobs"));
  const text = "x".repeat(100_000);
  const call = { type: "tool_update", toolCallId: "c", result: text } as const;
  const slim = blobs.slim(call);
  expect(slim).toMatchObject({ result: { bytes: 100_000, head: "x".repeat(2000) } });
  const { sha256 } = (slim as { result: { sha256: string } }).result;
  expect(blobs.read(sha256).toString()).toBe(text);
  expect(blobs.slim(say("short"))).toEqual(say("short"));
  expect(() => blobs.read("../../etc/passwd")).toThrow("not a hash");
});
