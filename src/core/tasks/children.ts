import type { RunInfo } from "../../contract/runs/run.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { sendCommand } from "../../lib/client/socket.ts";
import { type Home, socketPath } from "../store/home.ts";
import { readClaims } from "../store/runs/claims.ts";
import { runPaths } from "../store/runs/run-directory.ts";
import { readRunInfo } from "../store/runs/run-info.ts";
import { untilEnded } from "../store/runs/until-ended.ts";

/** Live runs below this one, wherever their project and task are: children, their children, and so on. */
export function liveDescendants(home: Home, runId: string): RunInfo[] {
  const live = readClaims(home).flatMap(({ claim }) => {
    const info = claim && readRunInfo(runPaths(claim.dir).info);
    return info?.status === "running" ? [info] : [];
  });
  const below = new Set([runId]);
  const found: RunInfo[] = [];
  for (let grown = true; grown; ) {
    grown = false;
    for (const info of live) {
      if (below.has(info.run_id) || !below.has(info.parent_run_id)) continue;
      below.add(info.run_id);
      found.push(info);
      grown = true;
    }
  }
  return found;
}

/** Stopping a run stops everything it started. A child that is already ending needs no telling. */
export async function stopDescendants(home: Home, runId: string, by: string): Promise<void> {
  const stops = liveDescendants(home, runId).map((info) =>
    sendCommand(socketPath(home, info.run_id), { type: "stop", by }).catch(() => {}),
  );
  await Promise.all(stops);
}

/** Until no descendant is live, or the time is over; returns those that are. */
export function waitForDescendants(
  home: Home,
  runId: string,
  limitMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly RunInfo[]> {
  return untilEnded(home, () => liveDescendants(home, runId), { clock, limitMs, signal });
}
