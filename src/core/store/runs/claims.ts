import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isRunId } from "../../../contract/ids.ts";
import { createFileInSight } from "../../../lib/files/atomic-file.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import { isBeingWritten, readClaimFile } from "../../../lib/files/holding/claim-file.ts";
import { type Holder, parseHeld } from "../../../lib/files/holding/holder.ts";
import { freeName, holderIn, moveFile, takeFile } from "../../../lib/files/holding/taken-file.ts";
import { agentSocketPath, type Home, socketPath } from "../home.ts";

export interface Claim extends Holder {
  dir: string;
  /** Of the secret that its agent shows to a server: good for as long as this claim stands. */
  agentHash?: string | undefined;
}

/**
 * `hosts/<run_id>.json` exists from just before a run's directory is made until just after its end is recorded. So a look at
 * one small folder finds every run that is live or was lost, however long the history is.
 */
export function claimRun(home: Home, runId: string, claim: Claim): boolean {
  return createFileInSight(claimPath(home, runId), JSON.stringify(claim));
}

export function releaseRun(home: Home, runId: string): void {
  rmSync(claimPath(home, runId), { force: true });
  removeSockets(home, runId);
}

export interface FoundClaim {
  runId: string;
  file: string;
  /** `undefined`: the file is damaged. */
  claim: Claim | undefined;
}

/** Claims of hosts, and those that a healer took over and did not finish. One that is just being written isn't one yet. */
export function readClaims(home: Home): FoundClaim[] {
  return claimFiles(home).flatMap(({ runId, file }) => {
    const claim = readClaim(file);
    return claim === undefined && isBeingWritten(file) ? [] : [{ runId, file, claim }];
  });
}

/** That of the run's host; `undefined` when it has none, or not any more. */
export const claimOf = (home: Home, runId: string): Claim | undefined => readClaim(claimPath(home, runId));

/** Whether the run has a host, or a healer that is not done with it yet. */
export function isClaimed(home: Home, runId: string): boolean {
  return existsSync(claimPath(home, runId)) || claimFiles(home).some((found) => found.runId === runId);
}

/** Of several healers one gets the claim; when it dies in the middle of its work, the next takes it from the dead one. */
export function takeOver(found: FoundClaim, healer: Holder): FoundClaim | undefined {
  const file = takeFile(found.file, healer);
  return file === undefined ? undefined : { ...found, file };
}

/** Of a healer that could not do it: another one may. */
export function giveBack({ file }: FoundClaim): void {
  moveFile(file, freeName(file));
}

/** The healer that holds this claim, if it isn't the host's own any more. */
export const healerOf = ({ file }: FoundClaim, here: Holder): Holder | undefined => holderIn(file, here);

export function dropClaim(home: Home, found: FoundClaim): void {
  rmSync(found.file, { force: true });
  removeSockets(home, found.runId);
}

function removeSockets(home: Home, runId: string): void {
  for (const path of [socketPath(home, runId), agentSocketPath(home, runId)]) rmSync(path, { force: true });
}

const claimPath = (home: Home, runId: string) => `${home.hosts}/${runId}.json`;

function claimFiles(home: Home): { runId: string; file: string }[] {
  let names: string[];
  try {
    names = readdirSync(home.hosts);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
  return names.sort().flatMap((name) => {
    const runId = name.split(".json")[0] ?? "";
    return name.includes(".json") && isRunId(runId) ? [{ runId, file: join(home.hosts, name) }] : [];
  });
}

function readClaim(file: string): Claim | undefined {
  const { holder, said } = parseHeld(readClaimFile(file)) ?? {};
  if (holder === undefined || typeof said?.dir !== "string") return undefined;
  const { dir, agentHash } = said;
  return { ...holder, dir, agentHash: typeof agentHash === "string" ? agentHash : undefined };
}
