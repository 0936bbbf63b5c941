import { hostname, userInfo } from "node:os";
import type { SentCommand } from "../../contract/commands.ts";
import { AppError } from "../../contract/errors.ts";
import { runName } from "../../contract/ids.ts";
import { endingOf } from "../../contract/runs/ending.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import type { Clock } from "../../lib/base/clock.ts";
import { sendCommand } from "../../lib/client/socket.ts";
import type { Context } from "../../lib/command/command.ts";
import { type Home, homeAt, homePath, socketPath } from "../store/home.ts";
import { type FoundRun, findRun } from "../store/runs/find-run.ts";
import { readRunInfo } from "../store/runs/run-info.ts";
import { untilEnded } from "../store/runs/until-ended.ts";
import { heal } from "../tasks/heal.ts";

/** A run that somebody named, with its record. */
export interface NamedRun {
  home: Home;
  run: FoundRun;
  info: RunInfo;
}

/** What reaching a run needs of whoever wants it. */
type Reach = Pick<Context, "env" | "clock">;

/** By whatever people call it. Runs whose host died are ended first, so nobody waits for them. */
export async function openRun(context: Reach, name: string): Promise<NamedRun> {
  const home = homeAt(homePath(context.env));
  await heal(home, context.clock, seenAsLost);
  const run = findRun(home, name);
  return { home, run, info: readInfo(run) };
}

/** Who can't be completed now, on a full disk say, can be looked at all the same. */
const seenAsLost = () => {};

export function readInfo(run: FoundRun): RunInfo {
  const info = readRunInfo(run.paths.info);
  if (info !== undefined) return info;
  throw new AppError(
    "run.not_found",
    `run ${runName(run)}: its directory is gone (${run.paths.dir}); only its line in the list is left`,
  );
}

/**
 * Tells the run's host, as the person at this terminal unless the command says who it is. A run that has ended can't be told
 * anything; the error says what can be done instead.
 */
export async function tellRun({ home, run, info }: NamedRun, command: SentCommand, context: Reach): Promise<void> {
  if (info.status !== "running") throw notLive(info);
  try {
    await sendCommand(socketPath(home, run.run_id), { by: attribution(), ...command });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "host.unreachable") throw error;
    await heal(home, context.clock);
    const now = readInfo(run);
    throw now.status === "running" ? error : notLive(now);
  }
}

/** Who acts, as others will read it: `ada@laptop terminal`. */
export const attribution = (): string => `${person()} terminal`;

/** Whom this account belongs to. */
export const person = (): string => `${userName()}@${hostname()}`;

/** In a container the user's number may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}

/** The final record, or how it is now when nobody waits any more. */
export async function whenEnded({ home, run }: NamedRun, clock: Clock, signal?: AbortSignal): Promise<RunInfo> {
  const live = () => (readInfo(run).status === "running" ? [run] : []);
  await untilEnded(home, live, { clock, heal: () => heal(home, clock), signal });
  return readInfo(run);
}

function notLive(info: RunInfo): AppError {
  return new AppError(
    "run.not_live",
    `run ${runName(info)}: has ended, ${endingOf(info)}; go on with \`cox run --resume ${runName(info)} "…"\``,
  );
}
