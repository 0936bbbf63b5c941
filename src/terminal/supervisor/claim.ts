import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { Log } from "../../lib/base/log.ts";
import { claimFile, readClaimFile, releaseClaim } from "../../lib/files/holding/claim-file.ts";
import { type Holder, parseHeld } from "../../lib/files/holding/holder.ts";
import { isGone, livesHere, ourselves } from "../../lib/process/holders/holder.ts";
import { type Marker, sweep } from "../../lib/process/stop.ts";

/** In the environment of everything that a supervisor starts. */
const MARKER = "COXSWAIN_SUPERVISOR";
const SWEEP_MS = 5000;

export interface Claim {
  marker: Marker;
  release(): void;
}

interface SupervisorRecord extends Holder {
  marker: string;
}

/** One supervisor per state folder. What one that was killed has left running is ended first: it holds ports and the agent. */
export async function claimState(state: string, log: Log): Promise<Claim> {
  const file = fileIn(state);
  const marker = randomUUID();
  const ours = JSON.stringify({ ...ourselves(), marker } satisfies SupervisorRecord);
  let swept: string | undefined;
  // Only a record whose processes were ended is cleared away: until then it says how to find them.
  const isLeft = (text: string, path: string) => (path === file ? text === swept : working(text) === undefined);
  for (let held = claimFile(file, ours, isLeft); held !== undefined; held = claimFile(file, ours, isLeft)) {
    await endLeftBy(held, state, log);
    swept = held;
  }
  return { marker: { name: MARKER, value: marker }, release: () => releaseClaim(file, ours) };
}

/** The supervisor that is at work there. */
export const findSupervisor = (state: string): Holder | undefined => working(readClaimFile(fileIn(state)));

/** Of another boot or container: it can't be running here, so it is no obstacle. */
function working(text: string | undefined): SupervisorRecord | undefined {
  const found = parse(text);
  return found !== undefined && livesHere(found) ? found : undefined;
}

async function endLeftBy(text: string, state: string, log: Log): Promise<void> {
  const first = working(text);
  if (first !== undefined) {
    const message = `${state}: supervisor ${first.pid} is at work there; stop it first, or choose another workspace`;
    throw new AppError("workspace.busy", message, { pid: first.pid });
  }
  const before = parse(text);
  if (before === undefined || !isGone(before)) return;
  const { ended } = await sweep({ name: MARKER, value: before.marker }, SWEEP_MS);
  if (ended > 0) log.warn("ended what a killed supervisor left running", { processes: ended });
}

const fileIn = (state: string) => join(state, "supervisor.json");

function parse(text: string | undefined): SupervisorRecord | undefined {
  const { holder, said } = parseHeld(text) ?? {};
  return holder === undefined || typeof said?.marker !== "string" ? undefined : { ...holder, marker: said.marker };
}
