import { isRunId } from "../../../contract/ids.ts";
import { createFileInSight } from "../../../lib/files/atomic-file.ts";
import type { Home } from "../home.ts";
import { ledgerBackward } from "../ledger/ledger.ts";
import { readSmallFile } from "../small-file.ts";

/**
 * The number that people call a run by, `r12`: the file `handles/12` holds the run's id. Who makes the file has the number, and
 * the file outlives the run, so that a number in somebody's notes never comes to mean another run. Between creation and content
 * it leads nowhere; a kill at that moment costs the number.
 */
export function giveHandle(home: Home, runId: string): number {
  // Others may be ahead of the ledger, by the runs that begin at this moment.
  let number = newestHandle(home) + 1;
  while (!createFileInSight(fileOf(home, number), `${runId}\n`)) number += 1;
  return number;
}

/** The id of the run that has this number, or had it. */
export function runOfHandle(home: Home, number: number): string | undefined {
  const runId = readSmallFile(fileOf(home, number))?.trim();
  return runId !== undefined && isRunId(runId) ? runId : undefined;
}

const fileOf = ({ handles }: Home, number: number) => `${handles}/${number}`;

/** Only where to begin to look: runs that begin at once reach the ledger in any order. */
function newestHandle(home: Home): number {
  for (const { value } of ledgerBackward(home)) {
    if (value.type === "start" && Number.isSafeInteger(value.handle)) return value.handle ?? 0;
  }
  return 0;
}
