import { waitingFor } from "../../contract/runs/session-state.ts";
import { eventsBackward } from "../store/events/event-reader.ts";
import { type RecordedRequest, recentState } from "../store/events/recent-state.ts";
import { type Home, runFolder } from "../store/home.ts";
import { readClaims } from "../store/runs/claims.ts";
import { runsBackward } from "../store/runs/ledger.ts";
import { runPaths } from "../store/runs/run-directory.ts";

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

export const openRequestsIn = (eventsPath: string): RecordedRequest[] => waitingFor(recentState(eventsPath));

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
