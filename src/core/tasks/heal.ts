import { existsSync } from "node:fs";
import type { AgentEvent } from "../../contract/events.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { closing, nothingOpen, track } from "../../contract/sessions/open-items.ts";
import { addEvent, emptyTranscript, finalAnswer } from "../../contract/sessions/transcript.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { isRefusal } from "../../lib/files/disk-error.ts";
import { removeNotedContainers } from "../../lib/process/holders/container-note.ts";
import { isGone, ourselves } from "../../lib/process/holders/holder.ts";
import { releaseMountPoints } from "../../lib/process/holders/mount-points.ts";
import { sweep } from "../../lib/process/stop.ts";
import { postMissingEnds } from "../store/bus/lifecycle.ts";
import { EventLog } from "../store/events/event-log.ts";
import { eventsBackward } from "../store/events/event-reader.ts";
import { takeIsolatedOutput } from "../store/events/isolated-output.ts";
import { ensureOutput } from "../store/events/output.ts";
import { type Home, taskFolder } from "../store/home.ts";
import { appendLedger, endRecord, recordsOf, startRecord } from "../store/ledger/ledger.ts";
import { dropClaim, type FoundClaim, giveBack, healerOf, readClaims, takeOver } from "../store/runs/claims.ts";
import { runPaths } from "../store/runs/run-directory.ts";
import { readRunInfo, writeRunInfo } from "../store/runs/run-info.ts";

const LOST = "the process that ran this run is gone";

/**
 * Finds runs whose host died, ends what they left running and completes their record. Whoever looks next does it: every step
 * can be repeated, and of several healers one gets the claim. Returns the ids of the runs it ended. Where one can't be completed
 * (a full disk) the others are; then that is `told`, or thrown.
 */
export async function heal(home: Home, clock: Clock, told?: NotHealed): Promise<string[]> {
  const healed: string[] = [];
  const failures: unknown[] = [];
  for (const found of readClaims(home)) {
    if (!isLost(found)) continue;
    const mine = takeOver(found, ourselves());
    if (mine === undefined) continue;
    try {
      await endLostRun(home, mine, clock);
      healed.push(mine.runId);
    } catch (error) {
      giveBack(mine); // for the next look, which may be our own
      if (!isRefusal(error)) throw error;
      if (told === undefined) failures.push(error);
      else told(mine.runId, error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return healed;
}

export type NotHealed = (runId: string, error: unknown) => void;

/** Only runs of this machine can be judged: elsewhere a process number means nothing. */
function isLost(found: FoundClaim): boolean {
  const { claim } = found;
  const here = ourselves();
  if (claim !== undefined && claim.namespace !== here.namespace) return false;
  const holder = healerOf(found, here) ?? claim;
  return holder === undefined ? existsSync(found.file) : isGone(holder);
}

async function endLostRun(home: Home, found: FoundClaim, clock: Clock): Promise<void> {
  await sweep({ name: "COX_RUN_ID", value: found.runId }, 2000);
  const dir = found.claim?.dir;
  if (dir !== undefined) await removeNotedContainers(dir, process.env);
  if (dir !== undefined) await releaseMountPoints(dir);
  // Lost before it had a directory, or before it had written anything: it never began.
  if (dir !== undefined && existsSync(runPaths(dir).info)) completeRecord(home, dir, clock);
  dropClaim(home, found);
}

function completeRecord(home: Home, dir: string, clock: Clock): void {
  const paths = runPaths(dir);
  const info = readRunInfo(paths.info);
  if (info === undefined) return;
  const now = new Date(clock.now()).toISOString();
  const final = info.status === "running" ? lostInfo(info, now) : info;
  const answer = closeLog(paths.events, final, now);
  takeIsolatedOutput(paths, taskFolder(home, info.project_id, info.task_id));
  ensureOutput(paths, answer);
  if (final !== info) writeRunInfo(paths.info, final);
  const known = recordsOf(home, info.run_id);
  if (!known.start) appendLedger(home, startRecord(info, ""));
  if (!known.end) appendLedger(home, endRecord(final));
  postMissingEnds(home, final, clock.now());
}

const lostInfo = (info: RunInfo, now: string): RunInfo => ({
  ...info,
  end_time: now,
  status: "failed",
  reason: "host_lost",
  exit_code: 1,
  error_summary: LOST,
});

/** Ends the turn, the tools and the requests that the log left open. Returns the last words of the last turn. */
function closeLog(path: string, info: RunInfo, now: string): string {
  const events = readLastTurn(path);
  const open = events.reduce(track, nothingOpen);
  if (open.life !== "closed") {
    const reason = info.status === "completed" ? "done" : info.error_summary || LOST;
    const end: AgentEvent = { type: "session_status", status: "closed", reason };
    const log = new EventLog(path);
    log.append([...closing(open, reason), end], now);
    log.close();
  }
  const transcript = emptyTranscript();
  for (const event of events) addEvent(transcript, event);
  return finalAnswer(transcript.items);
}

/** Read backwards only as far as the beginning of the last turn: nothing older can be open. */
function readLastTurn(path: string): AgentEvent[] {
  const events: AgentEvent[] = [];
  for (const event of eventsBackward(path)) {
    events.push(event);
    if (event.type === "turn_started") break;
  }
  return events.toReversed();
}
