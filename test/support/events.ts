import type { AgentEvent, EventOf } from "../../src/contract/events.ts";

export const typesOf = (events: readonly AgentEvent[]) => events.map((event) => event.type);

export const textOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "message_chunk" ? [event.text] : [])).join("");

export const last = <T extends AgentEvent["type"]>(events: readonly AgentEvent[], type: T) =>
  events.findLast((event): event is EventOf<T> & AgentEvent => event.type === type);

/** How turns begin and end: "t1", then "t1 completed". */
export const turnsOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => {
    if (event.type === "turn_started") return [event.turn];
    return event.type === "complete" ? [`${event.turn} ${event.outcome}`] : [];
  });
