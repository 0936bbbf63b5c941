import type { TaskItem } from "../../../contract/api/values.ts";
import type { AgentEvent } from "../../../contract/events.ts";
import { eventsBackward } from "../../../core/store/events/event-reader.ts";

/** What a list says of a run: read from the end of its log, no further back than it must. */
export interface Glance {
  phase: NonNullable<TaskItem["phase"]>;
  requests: number;
  lastLine: string;
}

/** A turn that has said this much is at work, whatever came before. */
const LOOK_BACK = 2000;
const LINE_CHARACTERS = 200;

export function glance(eventsPath: string, live: boolean): Glance {
  const recent: AgentEvent[] = [];
  let begun = false;
  let said = false;
  for (const event of eventsBackward(eventsPath)) {
    recent.push(event);
    begun ||= !live || event.type === "turn_started" || event.type === "complete";
    // The text of a message comes in pieces: all of them, so up to whatever came before it.
    said ||= event.type === "tool_call" || event.type === "error" || event.type === "user_message";
    if ((begun && said) || recent.length >= LOOK_BACK) break;
  }
  const events = recent.toReversed();
  const requests = openRequests(events);
  return {
    phase: live ? phaseOf(events, requests) : "closed",
    requests: live ? requests : 0,
    lastLine: lastLine(events),
  };
}

function phaseOf(events: readonly AgentEvent[], requests: number): Glance["phase"] {
  const last = events.findLast(({ type }) => type === "turn_started" || type === "complete");
  if (last?.type === "complete") return "idle";
  if (requests > 0) return "waiting";
  return events.length === 0 ? "starting" : "working";
}

function openRequests(events: readonly AgentEvent[]): number {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === "permission_request" || event.type === "question_request") open.add(event.pendingId);
    else if (event.type === "request_resolved") open.delete(event.pendingId);
    else if (event.type === "complete") open.clear();
  }
  return open.size;
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
