import type { TaskItem } from "../../../contract/api/values.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import { phaseOf, stateAfter, waitingFor } from "../../../contract/sessions/session-state.ts";
import { eventsBackward } from "../../../core/store/events/event-reader.ts";

/** What a list says of a run: read from the end of its log, no further back than it must. */
export interface RunPreview {
  phase: NonNullable<TaskItem["phase"]>;
  requests: number;
  lastLine: string;
}

/** A turn that has said this much is at work, whatever came before. */
const LOOK_BACK = 2000;
const LINE_CHARACTERS = 200;

export function previewOf(eventsPath: string, live: boolean): RunPreview {
  const recent: AgentEvent[] = [];
  let begun = false;
  let said = false;
  for (const event of eventsBackward(eventsPath)) {
    recent.push(event);
    begun ||= !live || event.type === "complete";
    // The text of a message comes in pieces: all of them, so up to whatever came before it.
    said ||= event.type === "tool_call" || event.type === "error" || event.type === "user_message";
    if ((begun && said) || recent.length >= LOOK_BACK) break;
  }
  const events = recent.toReversed();
  const state = stateAfter(events, recent.length < LOOK_BACK && !begun);
  return {
    phase: live ? phaseOf(state) : "closed",
    requests: live ? waitingFor(state).length : 0,
    lastLine: lastLine(events),
  };
}

function lastLine(events: readonly AgentEvent[]): string {
  let line = "";
  let message: { id: string; text: string } | undefined;
  for (const event of events) {
    if (event.type === "message_chunk" && event.parentToolCallId === undefined) {
      const before = message?.id === event.messageId && !event.replace ? message.text : "";
      message = { id: event.messageId, text: before + event.text };
      line = message.text.trim().split("\n").at(-1) ?? "";
    } else if (event.type === "tool_call") line = event.toolTitle;
    else if (event.type === "error") line = event.message;
  }
  return line.replace(/\s+/g, " ").slice(0, LINE_CHARACTERS);
}
