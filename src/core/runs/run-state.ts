import type { RunState } from "../../contract/runs/record.ts";
import type { RunSummary } from "../../contract/runs/run.ts";
import { phaseOf, type SessionState } from "../../contract/sessions/session-state.ts";
import { recentState } from "../store/events/recent-state.ts";
import { type Home, runFolder } from "../store/home.ts";
import { runPaths } from "../store/runs/run-directory.ts";
import { readRunInfo } from "../store/runs/run-info.ts";

/** What lists say of a run. Light on purpose: `cox ls` pays for every import here. `live`: the runs that have a host, as far as anybody knows. */
export function stateOf(home: Home, run: RunSummary, live: ReadonlySet<string>): { state: RunState; reason: string } {
  if (run.end !== undefined) return { state: run.end.status, reason: run.end.reason };
  const paths = runPaths(runFolder(home, run.project, run.task, run.run_id));
  if (live.has(run.run_id)) return { state: liveState(paths.events), reason: "" };
  // It began or ended while we looked: its own record knows. Without one nobody does.
  const info = readRunInfo(paths.info);
  if (info === undefined || info.status === "running") return { state: "lost", reason: "" };
  return { state: info.status, reason: info.reason };
}

/** The same in a list's words. A turn that failed says of what: `failed (auth)`, as the run's own last line does. */
export function stateWords(
  home: Home,
  run: RunSummary,
  { state, reason }: { state: RunState; reason: string },
): string {
  if (state === "waiting") return "waiting for you";
  const why = reason === "turn_failed" ? categoryOf(home, run) || reason : reason;
  return why === "" ? state : `${state} (${why})`;
}

/** How many turns a run has had, and what they cost: of one that goes on, until now. */
export function figuresOf(home: Home, run: RunSummary): { turns: number; cost_usd: number } | undefined {
  return run.end ?? readRunInfo(runPaths(runFolder(home, run.project, run.task, run.run_id)).info);
}

const categoryOf = (home: Home, { project, task, run_id }: RunSummary): string =>
  readRunInfo(runPaths(runFolder(home, project, task, run_id)).info)?.category ?? "";

/** In the words of lists: what begins, or is just being ended by its host, runs too. */
export const liveState = (eventsPath: string): LiveState => liveStateOf(recentState(eventsPath));

export type LiveState = "running" | "waiting" | "idle";

export function liveStateOf(session: SessionState): LiveState {
  const phase = phaseOf(session);
  return phase === "waiting" || phase === "idle" ? phase : "running";
}
