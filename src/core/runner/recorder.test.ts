import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { RecordedEvent } from "../../contract/events.ts";
import { systemClock } from "../../lib/base/clock.ts";
import { readLastRecords } from "../../lib/files/journal-line.ts";
import { Blobs } from "../store/blobs.ts";
import { EventLog } from "../store/events/event-log.ts";
import { Recorder } from "./recorder.ts";

test("every event says which conversation it belongs to, once that is known: to those who watch, and in the log", () => {
  const folder = temporaryFolder();
  const path = join(folder, "events.jsonl");
  const recorder = new Recorder(new EventLog(path), new Blobs(join(folder, "blobs")), systemClock, () => {});
  const seen: RecordedEvent[] = [];
  recorder.watch((events) => void seen.push(...events));
  recorder.record({ type: "notice", code: "retrying", text: "not yet" });
  recorder.record({ type: "session_status", status: "new", sessionId: "s1" });
  recorder.record({ type: "turn_started", turn: "t1" });
  recorder.record({ type: "session_status", status: "updated", sessionId: "s2" });
  recorder.record({ type: "complete", turn: "t1", outcome: "completed" });
  recorder.close();
  const expected = [undefined, "s1", "s1", "s2", "s2"];
  expect(seen.map(({ sessionId }) => sessionId)).toEqual(expected);
  expect(readLastRecords(path, 9).records.map(({ value }) => value.sessionId)).toEqual(expected);
});
