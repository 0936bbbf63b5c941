import type { ChildLimits } from "../../../contract/agent-socket.ts";
import { AppError } from "../../../contract/errors.ts";
import type { RunSummary } from "../../../contract/runs/run.ts";
import type { Home } from "../home.ts";
import { runsBackward } from "../ledger/ledger.ts";

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

/** Before a run starts another: agents that start agents must come to an end. */
export function requirePlace(home: Home, parent: string, { depth, live, total }: ChildLimits): void {
  const above = [...lineage(home, parent)].length;
  if (above > depth) throw full(`a run may have at most ${depth} runs above it`, "children.depth");
  const own = descendants(home, parent).filter((run) => run.parent === parent);
  if (own.length >= total)
    throw full(`run ${parent} has started ${own.length} runs, the most there may be`, "children.total");
  const running = own.filter(({ end }) => end === undefined).length;
  if (running >= live) throw full(`${running} runs of run ${parent} still run, the most there may be`, "children.live");
}

const full = (why: string, key: string) =>
  new AppError("limit.exceeded", `start run: ${why}; a person can change it: cox config set ${key} N`);
