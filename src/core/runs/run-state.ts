import type { RunSummary } from "../../contract/runs/run.ts";
import { phaseOf } from "../../contract/runs/session-state.ts";
import { recentState } from "../store/events/recent-state.ts";
import { type Home, runFolder } from "../store/home.ts";
import { runPaths } from "../store/runs/run-directory.ts";
import { readRunInfo } from "../store/runs/run-info.ts";

/** What lists say of a run. Light on purpose: `cox ls` pays for every import here. */
export type RunState = "running" | "waiting" | "idle" | "completed" | "failed" | "lost";

/** `live`: the runs that have a host, as far as anybody knows. */
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

const categoryOf = (home: Home, { project, task, run_id }: RunSummary): string =>
  readRunInfo(runPaths(runFolder(home, project, task, run_id)).info)?.category ?? "";

/** In the words of lists: what begins, or is just being ended by its host, runs too. */
export function liveState(eventsPath: string): "running" | "waiting" | "idle" {
  const phase = phaseOf(recentState(eventsPath));
  return phase === "waiting" || phase === "idle" ? phase : "running";
}

/**
 * The end of an id that is enough to name the run: the last digits of its time, its process, its number. Shorter ones come
 * again, since process numbers do.
 */
export function shortId(runId: string): string {
  const [, time = "", ...rest] = runId.split("-");
  return [time.slice(-4), ...rest].join("-");
}
