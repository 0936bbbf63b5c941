import type { RecordedEvent } from "../../../contract/events.ts";
import type { TailOptions } from "../../../lib/files/tail.ts";
import { isObject, Journal } from "../journal.ts";

/** A run's log, `events.jsonl`. */
export const eventJournal = new Journal(
  (value): value is RecordedEvent => isObject(value) && typeof value.type === "string" && typeof value.at === "string",
);

/** All there are now, in batches. A run that has just begun has none. */
export const readEvents = (path: string): Generator<RecordedEvent[]> => eventJournal.read(path);

/** The newest first; what isn't asked for isn't read. */
export function* eventsBackward(path: string): Generator<RecordedEvent> {
  for (const { value } of eventJournal.backward(path)) yield value;
}

/** Those there are and those to come, until the log is closed. `options.until` ends it where nobody closes it any more. */
export async function* followEvents(path: string, options: TailOptions = {}): AsyncGenerator<RecordedEvent[]> {
  for await (const events of eventJournal.follow(path, options)) {
    yield events;
    if (events.some(isClosed)) return;
  }
}

/** Where the last turn begins, with the prompt that began it. */
export function lastTurn(path: string): number {
  for (const { value, offset } of eventJournal.backward(path)) {
    if (value.type === "user_message" && value.delivery === "start") return offset;
  }
  return 0;
}

export const isClosed = (event: RecordedEvent): boolean => event.type === "session_status" && event.status === "closed";
