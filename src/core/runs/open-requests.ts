import { statSync } from "node:fs";
import type { EventOf } from "../../contract/events.ts";
import { waitingFor } from "../../contract/sessions/session-state.ts";
import { eventsBackward } from "../store/events/event-reader.ts";
import { type RecordedRequest, recentState } from "../store/events/recent-state.ts";
import { type Home, runFolder } from "../store/home.ts";
import { runsBackward } from "../store/ledger/ledger.ts";
import { readClaims } from "../store/runs/claims.ts";
import { runPaths } from "../store/runs/run-directory.ts";

type Resolved = EventOf<"request_resolved">;

export interface AskedRequest {
  runId: string;
  dir: string;
  request: RecordedRequest;
}

/** What all live runs wait for, the longest waiting first. */
export const allOpenRequests = (home: Home): AskedRequest[] => new OpenRequests(home).all();

/** The same for whoever looks again and again: a log that has not grown is not read again. */
export class OpenRequests {
  readonly #home: Home;
  #known = new Map<string, { size: number; requests: RecordedRequest[] }>();

  constructor(home: Home) {
    this.#home = home;
  }

  all(): AskedRequest[] {
    const known = new Map<string, { size: number; requests: RecordedRequest[] }>();
    const asked = readClaims(this.#home).flatMap(({ runId, claim }) => {
      if (claim === undefined) return [];
      const { events } = runPaths(claim.dir);
      const size = statSync(events, { throwIfNoEntry: false })?.size ?? 0;
      const before = this.#known.get(events);
      const now = before?.size === size ? before : { size, requests: openRequestsIn(events) };
      known.set(events, now);
      return now.requests.map((request) => ({ runId, dir: claim.dir, request }));
    });
    this.#known = known;
    return asked.sort((a, b) => a.request.at.localeCompare(b.request.at));
  }
}

export const openRequestsIn = (eventsPath: string): RecordedRequest[] => waitingFor(recentState(eventsPath));

/** How a request of this run was resolved, if it ever was. */
export function resolutionOf(eventsPath: string, pendingId: string) {
  for (const event of eventsBackward(eventsPath)) {
    if (event.type === "request_resolved" && event.pendingId === pendingId) return event;
  }
  return undefined;
}

/** What was resolved since then, in all runs, also in ended ones. */
export function* resolvedSince(home: Home, since: string): Generator<{ runId: string; resolved: Resolved }> {
  for (const { run_id: runId, project, task, end } of runsBackward(home)) {
    if (end !== undefined && end.at < since) continue;
    for (const event of eventsBackward(runPaths(runFolder(home, project, task, runId)).events)) {
      if (event.at < since) break;
      if (event.type === "request_resolved") yield { runId, resolved: event };
    }
  }
}
