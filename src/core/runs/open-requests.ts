import type { RecordedEvent } from "../../contract/events.ts";
import type { OpenRequest } from "../../contract/runs/transcript.ts";
import { eventsBackward } from "../store/events/event-reader.ts";
import { type Home, runFolder } from "../store/home.ts";
import { readClaims } from "../store/runs/claims.ts";
import { runsBackward } from "../store/runs/ledger.ts";
import { runPaths } from "../store/runs/run-directory.ts";

export type RecordedRequest = RecordedEvent & OpenRequest;

export interface AskedRequest {
  runId: string;
  dir: string;
  request: RecordedRequest;
}

/** What all live runs wait for, the longest waiting first. */
export function allOpenRequests(home: Home): AskedRequest[] {
  const asked = readClaims(home).flatMap(({ runId, claim }) => {
    if (claim === undefined) return [];
    const { events } = runPaths(claim.dir);
    return openRequestsIn(events).map((request) => ({ runId, dir: claim.dir, request }));
  });
  return asked.sort((a, b) => a.request.at.localeCompare(b.request.at));
}

/** Read backwards only to the beginning of the turn: its end takes every request with it. */
export function openRequestsIn(eventsPath: string): RecordedRequest[] {
  const resolved = new Set<string>();
  const open: RecordedRequest[] = [];
  for (const event of eventsBackward(eventsPath)) {
    if (event.type === "turn_started" || event.type === "complete") break;
    if (event.type === "session_status" && event.status === "closed") return [];
    if (event.type === "request_resolved") resolved.add(event.pendingId);
    else if (isRequest(event) && !resolved.has(event.pendingId)) open.push(event);
  }
  return open.toReversed();
}

/** How a request of this run was resolved, if it ever was. */
export function resolutionOf(eventsPath: string, pendingId: string) {
  for (const event of eventsBackward(eventsPath)) {
    if (event.type === "request_resolved" && event.pendingId === pendingId) return event;
  }
  return undefined;
}

/** The last runs, also ended ones, in which a request of this name was resolved since then. */
export function runsThatAsked(home: Home, pendingId: string, since: string): string[] {
  return [...runsBackward(home)]
    .filter(({ end }) => end === undefined || end.at >= since)
    .filter((run) => wasResolved(runPaths(runFolder(home, run.project, run.task, run.run_id)).events, pendingId, since))
    .map(({ run_id }) => run_id);
}

function wasResolved(eventsPath: string, pendingId: string, since: string): boolean {
  for (const event of eventsBackward(eventsPath)) {
    if (event.at < since) return false;
    if (event.type === "request_resolved" && event.pendingId === pendingId) return true;
  }
  return false;
}

function isRequest(event: RecordedEvent): event is RecordedRequest {
  return event.type === "permission_request" || event.type === "question_request";
}
