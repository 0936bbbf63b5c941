import { AppError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { sendCommand } from "../../lib/client/socket.ts";
import { type Home, socketPath } from "../store/home.ts";
import { untilEnded } from "../store/runs/until-ended.ts";
import { type TaskRef, taskName } from "../store/task-file.ts";
import { heal } from "./heal.ts";
import { liveRuns } from "./task.ts";

const LIMIT_MS = 30_000;

/** Asks the hosts of a task's runs to stop, and returns when their records are final. */
export async function stopRuns(home: Home, ref: TaskRef, { by, clock }: { by: string; clock: Clock }): Promise<void> {
  const asked = new Set<string>();
  const live = async () => {
    await heal(home, clock);
    const runs = liveRuns(home, ref);
    for (const runId of runs) if (!asked.has(runId) && (await askToStop(home, runId, by))) asked.add(runId);
    return runs;
  };
  const left = await untilEnded(home, live, { clock, limitMs: LIMIT_MS });
  if (left.length === 0) return;
  throw new AppError("timeout", `stop ${taskName(ref)}: run ${left.join(", ")} has not ended within 30 s`);
}

/** `false` when its host can't be reached (yet, or any more): the next look decides. */
async function askToStop(home: Home, runId: string, by: string): Promise<boolean> {
  try {
    await sendCommand(socketPath(home, runId), { type: "stop", by });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "host.unreachable") return false;
    throw error;
  }
}
