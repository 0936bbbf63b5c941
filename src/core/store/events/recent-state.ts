import type { RecordedEvent } from "../../../contract/events.ts";
import {
  type OpenRequest,
  type SessionState,
  stateAfter,
  stateTypes,
} from "../../../contract/sessions/session-state.ts";
import { typeAt } from "./event-bytes.ts";
import { eventJournal } from "./event-reader.ts";

export type RecordedRequest = RecordedEvent & OpenRequest;

/** Further back nobody looks: a turn that has said this much is at work. */
const LOOK_BACK = 5000;

/** How a live run stands, from the end of its log, no further back than the end of its last turn. Words and tools are passed over. */
export function recentState(eventsPath: string): SessionState<RecordedRequest> {
  const events: RecordedEvent[] = [];
  let looked = 0;
  // The line that is one too many is parsed, whatever it is: so the loop hears of it.
  const wanted = (bytes: Buffer, from: number, to: number) => {
    looked += 1;
    const type = typeAt(bytes, from, to);
    return type === undefined || types.has(type) || looked > LOOK_BACK;
  };
  for (const { value } of eventJournal.backward(eventsPath, { wanted })) {
    events.push(value);
    if (value.type === "complete" || looked > LOOK_BACK) break;
  }
  return stateAfter<RecordedRequest>(events.toReversed(), looked <= LOOK_BACK);
}

const types: ReadonlySet<string> = new Set(stateTypes);
