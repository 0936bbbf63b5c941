import type { RunSummary } from "../contract/run.ts";
import type { Home } from "./home.ts";
import { runsBackward } from "./ledger.ts";

/** A run and those above it, nearest first. One pass suffices: whoever starts a run was started before. */
export function* lineage(home: Home, runId: string): Generator<RunSummary> {
  let wanted: string | undefined = runId;
  for (const run of runsBackward(home)) {
    if (run.run_id !== wanted) continue;
    yield run;
    wanted = run.parent;
    if (wanted === undefined) return;
  }
}

/** Everything below a run, live or ended, oldest first: what it started, what those started, and so on. */
export function descendants(home: Home, runId: string): RunSummary[] {
  const since: RunSummary[] = [];
  for (const run of runsBackward(home)) {
    if (run.run_id === runId) break; // nothing of it can be older
    since.push(run);
  }
  const below = new Set([runId]);
  return since.toReversed().filter((run) => {
    if (run.parent === undefined || !below.has(run.parent)) return false;
    below.add(run.run_id);
    return true;
  });
}
