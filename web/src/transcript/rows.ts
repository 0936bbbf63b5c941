import type { EventOf, RecordedEvent } from "../../../src/contract/events.ts";
import {
  addEvent,
  emptyTranscript,
  type OpenRequest,
  type Transcript,
  type TranscriptItem,
} from "../../../src/contract/sessions/transcript.ts";

/** What stands in the list, in order: the transcript's items, and beside them what only the page shows. */
export type Row = { seq: number; at: string } & RowBody;
type RowBody =
  | { kind: "item"; item: TranscriptItem; turn: string }
  | { kind: "request"; request: OpenRequest; resolved: EventOf<"request_resolved"> | undefined }
  | { kind: "status"; text: string }
  | { kind: "unmapped"; event: EventOf<"unmapped"> };

/** A stretch of a conversation, folded. Changed in place, as the transcript is. */
export interface Folded {
  transcript: Transcript;
  rows: Row[];
  /** What the latest event of its kind said; empty where none has come. */
  latest: {
    options?: EventOf<"config_options">["options"];
    commands?: EventOf<"commands">["commands"];
    can?: readonly string[];
    rateLimit?: EventOf<"rate_limit">;
    turn: string;
  };
}

export const nothingFolded = (): Folded => ({ transcript: emptyTranscript(), rows: [], latest: { turn: "" } });

export function fold(folded: Folded, event: RecordedEvent): void {
  const { transcript, rows, latest } = folded;
  const { seq, at } = event;
  const before = transcript.items.length;
  addEvent(transcript, event);
  const item = transcript.items[before];
  if (item !== undefined) rows.push({ seq, at, kind: "item", item, turn: turnOf(event, latest.turn) });
  switch (event.type) {
    case "turn_started":
      latest.turn = event.turn;
      return;
    case "permission_request":
    case "question_request":
      rows.push({ seq, at, kind: "request", request: event, resolved: undefined });
      return;
    case "request_resolved": {
      const row = rows.findLast((row) => row.kind === "request" && row.request.pendingId === event.pendingId);
      if (row?.kind === "request") row.resolved = event;
      return;
    }
    case "config_options":
      latest.options = event.options;
      return;
    case "commands":
      latest.commands = event.commands;
      return;
    case "rate_limit":
      latest.rateLimit = event;
      return;
    case "session_status": {
      if ("can" in event && event.can !== undefined) latest.can = event.can;
      const text = statusText(event);
      if (text !== "") rows.push({ seq, at, kind: "status", text });
      return;
    }
    case "unmapped":
      rows.push({ seq, at, kind: "unmapped", event });
      return;
    default:
  }
}

const turnOf = (event: RecordedEvent, latest: string) =>
  "turn" in event && event.turn !== undefined ? event.turn : latest;

function statusText(event: EventOf<"session_status">): string {
  switch (event.status) {
    case "new":
      return "";
    case "resumed":
      return event.resumedBy === "context" ? "Resumed with a retelling of what was said before" : "Resumed";
    case "updated":
      return "";
    case "parked":
      return `Parked: ${event.reason}`;
    case "closed":
      return `Session ended: ${event.reason}`;
  }
}

/**
 * The transcript has the same text in one piece. Kept in the pieces it came in, each would cost many times its length: so the
 * event takes the transcript's.
 */
export function sharing(last: RecordedEvent | undefined, item: TranscriptItem | undefined): RecordedEvent | undefined {
  if (last?.type !== "message_chunk" && last?.type !== "reasoning") return last;
  if (item === undefined || !("text" in item) || item.messageId !== last.messageId) return last;
  return item.text.length === last.text.length ? { ...last, text: item.text } : last;
}

/**
 * Events as they are kept for folding again: pieces of one text become one, which folds to the same and costs a fraction.
 * True when the event went into the last one.
 */
export function mergeInto(last: RecordedEvent | undefined, event: RecordedEvent): RecordedEvent | undefined {
  if (last === undefined) return undefined;
  if (
    (event.type === "message_chunk" || event.type === "reasoning") &&
    last.type === event.type &&
    last.messageId === event.messageId &&
    event.replace === undefined
  ) {
    return { ...last, text: last.text + event.text };
  }
  if (
    event.type === "tool_update" &&
    last.type === "tool_update" &&
    last.toolCallId === event.toolCallId &&
    event.outputChunk !== undefined
  ) {
    return {
      ...last,
      ...event,
      seq: last.seq,
      at: last.at,
      outputChunk: (last.outputChunk ?? "") + event.outputChunk,
    };
  }
  return undefined;
}
