import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { systemClock } from "../../../lib/base/clock.ts";
import { diskError, errnoOf } from "../../../lib/files/disk-error.ts";
import type { Holder } from "../../../lib/files/holding/holder.ts";
import { type Home, runFolder } from "../home.ts";
import { claimRun, releaseRun } from "./claims.ts";

/** The files of one run. */
export interface RunPaths {
  dir: string;
  info: string;
  prompt: string;
  stdout: string;
  stderr: string;
  output: string;
  events: string;
  blobs: string;
  /** The recorded terminal, where a person's own session was run. */
  cast: string;
}

export function runPaths(dir: string): RunPaths {
  return {
    dir,
    info: `${dir}/run-info.yaml`,
    prompt: `${dir}/prompt.md`,
    stdout: `${dir}/agent-stdout.txt`,
    stderr: `${dir}/agent-stderr.txt`,
    output: `${dir}/output.md`,
    events: `${dir}/events.jsonl`,
    blobs: `${dir}/blobs`,
    cast: `${dir}/terminal.cast`,
  };
}

let sequence = 0;

/** `YYYYMMDD-HHMMSSmmmm-<pid>-<seq>`, UTC, the four digits being tenths of a millisecond. */
export function nextRunId(nowMs: number, pid: number): string {
  sequence += 1;
  const stamp = new Date(nowMs).toISOString().replace(/[-:T.Z]/g, "");
  const tenth = Math.floor((nowMs % 1) * 10);
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}${tenth}-${String(pid).padStart(7, "0")}-${String(sequence).padStart(4, "0")}`;
}

const began = Date.now() - systemClock.monotonic();
const preciseNow = () => began + systemClock.monotonic();

/**
 * A new run's directory, claimed before it is made: whoever finds the claim after a crash finds everything the run left.
 * Names that exist already (another host with a turned-back clock) are passed over.
 */
export function createRunDirectory(
  home: Home,
  run: { project: string; task: string },
  host: Holder,
  agentHash?: string,
): { runId: string; paths: RunPaths } {
  for (;;) {
    const runId = nextRunId(preciseNow(), process.pid);
    const dir = runFolder(home, run.project, run.task, runId);
    if (!claimRun(home, runId, { ...host, dir, agentHash })) continue;
    try {
      makeFolder(dir);
      return { runId, paths: runPaths(dir) };
    } catch (error) {
      releaseRun(home, runId);
      if (errnoOf(error) !== "EEXIST") throw diskError("create run directory", dir, error);
    }
  }
}

/** Only a task's first run finds no folder to be in. */
function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    mkdirSync(dirname(dir), { recursive: true, mode: 0o700 });
    mkdirSync(dir, { mode: 0o700 });
  }
}
