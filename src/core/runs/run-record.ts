import { type RunRecord, recordOf } from "../../contract/runs/record.ts";
import type { Home } from "../store/home.ts";
import { isClaimed } from "../store/runs/claims.ts";
import type { FoundRun } from "../store/runs/find-run.ts";
import { firstWords } from "./first-words.ts";
import { readInfo } from "./run-access.ts";
import { type LiveState, liveState } from "./run-state.ts";

/** What is told of a run now, the same to everybody. `liveNow`: for those who follow its log anyway. */
export function readRecord(
  home: Home,
  run: FoundRun,
  liveNow: () => LiveState = () => liveState(run.paths.events),
): RunRecord {
  const hasHost = isClaimed(home, run.run_id); // looked at first: a host leaves after its record is final
  const info = readInfo(run);
  const stateOfRunning = () => (hasHost ? liveNow() : "lost");
  const state = info.status === "running" ? stateOfRunning() : info.status;
  return recordOf(info, run.title || firstWords(home, run), state);
}
