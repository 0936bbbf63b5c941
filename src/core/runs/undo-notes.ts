import { runName } from "../../contract/ids.ts";
import type { RunInfo, RunSummary } from "../../contract/runs/run.ts";
import { isWithin } from "../../lib/files/within.ts";
import type { Home } from "../store/home.ts";
import { runsBackward } from "../store/ledger/ledger.ts";

type Undone = Pick<RunInfo, "run_id" | "handle" | "mode" | "start_time" | "end_time">;

const NAMED = 5;

/** What a person should know of what is reversed: who else may have written between the run's checkpoints. */
export function undoNotes(home: Home, run: Undone, { root, turns }: { root: string; turns: number }): string[] {
  const others = [...runsBackward(home)].filter(
    (other) => other.run_id !== run.run_id && isWithin(other.cwd, root) && isMeanwhile(other, run),
  );
  const some = others.slice(0, NAMED).map((other) => `${runName(other)} (${other.agent})`);
  if (others.length > NAMED) some.push(`${others.length - NAMED} more`);
  return [
    ...(some.length === 0
      ? []
      : [`${some.join(", ")} worked in ${root} at the same time: what was changed then counts as ${runName(run)}'s`]),
    ...(run.mode === "interactive" && turns > 1
      ? [`what was changed in ${root} between the turns of ${runName(run)} counts as its own`]
      : []),
  ];
}

const isMeanwhile = (other: RunSummary, { start_time, end_time }: Undone): boolean =>
  (end_time === "" || other.at < end_time) && (other.end === undefined || other.end.at > start_time);
