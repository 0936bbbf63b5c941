import { closeSync } from "node:fs";
import type { RecordedEvent } from "../../../contract/events.ts";
import { offsetAfter, seqOf } from "../../../core/store/events/event-bytes.ts";
import { eventJournal } from "../../../core/store/events/event-reader.ts";
import { lineSlices, openRegularFile } from "../../../lib/files/regular-file.ts";

export interface EventPage {
  events: RecordedEvent[];
  /** Of the whole log. */
  first_seq: number;
  last_seq: number;
}

/** Numbers are dense, so the page before or after one is found by number; only what is on it is parsed. */
export function eventPage(
  path: string,
  lastSeq: number,
  { after, before, limit }: { after?: number | undefined; before?: number | undefined; limit: number },
): EventPage {
  const from = after ?? Math.max(0, Math.min(before ?? lastSeq + 1, lastSeq + 1) - 1 - limit);
  const to = after === undefined ? Math.min(before ?? lastSeq + 1, lastSeq + 1) : after + limit + 1;
  return { events: readBetween(path, from, to), first_seq: lastSeq === 0 ? 0 : 1, last_seq: lastSeq };
}

function readBetween(path: string, from: number, to: number): RecordedEvent[] {
  const file = openRegularFile(path);
  const events: RecordedEvent[] = [];
  if (file === undefined) return events;
  try {
    for (const lines of lineSlices(file.fd, offsetAfter(file.fd, file.size, from), file.size)) {
      let start = 0;
      for (let end = lines.indexOf(LF); end !== -1; end = lines.indexOf(LF, start)) {
        const seq = seqOf(lines, start, end);
        if (seq >= to) return events;
        const event = seq > from ? eventJournal.parseLine(lines, start, end) : undefined;
        if (event !== undefined) events.push(event);
        start = end + 1;
      }
    }
    return events;
  } finally {
    closeSync(file.fd);
  }
}

const LF = 10;
