import type { AgentEvent, EventOf } from "../events.ts";

/** What the agent asks. */
export type OpenRequest = EventOf<"permission_request"> | EventOf<"question_request">;

/**
 * Where a conversation stands: the one answer to what a run does, what it waits for and in which turn. Host, server, terminal
 * and page compute it from the same events, so they agree.
 */
export interface SessionState<Request extends OpenRequest = OpenRequest> {
  readonly life: "starting" | "open" | "closed";
  /** A prompt was given, and its turn has not begun yet. */
  readonly prompted: boolean;
  /** The one under way. */
  readonly turn: string | undefined;
  /** Asked and not resolved, in the order they were asked, whoever decides on them. What works in the background asks between turns too. */
  readonly requests: ReadonlyMap<string, Request>;
}

export const starting: SessionState<never> = {
  life: "starting",
  prompted: false,
  turn: undefined,
  requests: new Map<string, never>(),
};

/** The events that change it; whoever reads only for the state can leave out the others. */
export const stateTypes: readonly AgentEvent["type"][] = [
  "session_status",
  "user_message",
  "turn_started",
  "complete",
  "permission_request",
  "question_request",
  "request_resolved",
  "error",
];

export function advance<Request extends OpenRequest>(
  state: SessionState<Request>,
  event: Exclude<AgentEvent, OpenRequest> | Request,
): SessionState<Request> {
  // Written out: every event of every agent comes by here several times, and a spread costs twenty times as much.
  const { life, prompted, turn, requests } = state;
  if (life === "closed") return state;
  if (isRequest(event)) return { life, prompted, turn, requests: new Map(requests).set(event.pendingId, event) };
  switch (event.type) {
    case "session_status":
      if (event.status === "closed") return { ...starting, life: "closed" };
      return event.status === "parked" || life === "open" ? state : { life: "open", prompted, turn, requests };
    case "user_message":
      return event.delivery === "start" ? { life, prompted: true, turn, requests } : state;
    case "turn_started":
      return { life: "open", prompted: false, turn: event.turn, requests };
    case "request_resolved":
      return requests.has(event.pendingId)
        ? { life, prompted, turn, requests: new Map([...requests].filter(([id]) => id !== event.pendingId)) }
        : state;
    case "complete":
      // A late end of an interrupted turn must not end its successor.
      return turn === event.turn ? { life, prompted: false, turn: undefined, requests } : state;
    case "error":
      // The prompt could not even be sent.
      return event.turn === undefined && prompted ? { life, prompted: false, turn, requests } : state;
    default:
      return state;
  }
}

/**
 * From the last events of a log alone, no further back than the end of a turn: only what works in the background may have asked
 * before. `all`: there are no earlier ones; else there was a turn under way.
 */
export function stateAfter<Request extends OpenRequest>(
  events: readonly (Exclude<AgentEvent, OpenRequest> | Request)[],
  all: boolean,
): SessionState<Request> {
  const at = events.findLastIndex(({ type }) => type === "complete");
  const end = events[at];
  const turn = end?.type === "complete" ? end.turn : "";
  const from: SessionState<Request> = all && at === -1 ? starting : { ...starting, life: "open", turn };
  return events.slice(Math.max(at, 0)).reduce<SessionState<Request>>((state, event) => advance(state, event), from);
}

export type Phase = "starting" | "idle" | "working" | "waiting" | "closed";

export function phaseOf(state: SessionState): Phase {
  const { life, prompted, turn } = state;
  if (life === "closed") return "closed";
  if (waitingFor(state).length > 0) return "waiting";
  if (turn !== undefined) return "working";
  if (life === "starting") return "starting";
  return prompted ? "working" : "idle";
}

/** What a person has to answer, the longest waiting first. */
export function waitingFor<Request extends OpenRequest>({ requests }: SessionState<Request>): Request[] {
  return requests.size === 0 ? [] : [...requests.values()].filter(waitsForPerson);
}

/** Logs that don't say who decides are older than that: then it may be a person. */
export const waitsForPerson = ({ decider = "person" }: OpenRequest): boolean => decider === "person";

function isRequest<Request extends OpenRequest>(event: AgentEvent | Request): event is Request {
  return event.type === "permission_request" || event.type === "question_request";
}
