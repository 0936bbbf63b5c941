import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRunId } from "../../../contract/ids.ts";
import { createFileInSight } from "../../../lib/files/atomic-file.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import { agentSocketPath, type Home, socketPath } from "../home.ts";

/** A process that may be gone when somebody reads this: its number alone proves nothing, its start time does. */
export interface HostIdentity {
  pid: number;
  start: string;
  boot: string;
  namespace: string;
}

export interface Claim extends HostIdentity {
  dir: string;
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
    return claim === undefined && isNewOrGone(file) ? [] : [{ runId, file, claim }];
  });
}

/**
 * Between a claim's creation and its content are microseconds, but of a host that may have been stopped there. Nothing else of
 * its run exists then, so there is no hurry.
 */
function isNewOrGone(file: string): boolean {
  const facts = statSync(file, { throwIfNoEntry: false });
  return facts === undefined || Math.abs(Date.now() - facts.mtimeMs) < WRITING_MS;
}

const WRITING_MS = 10_000;

/** Whether the run has a host, or a healer that is not done with it yet. */
export function isClaimed(home: Home, runId: string): boolean {
  return existsSync(claimPath(home, runId)) || claimFiles(home).some((found) => found.runId === runId);
}

/**
 * A healer takes a claim over by renaming it to its own name. Of several healers one succeeds; when it dies in the middle of
 * its work, the next takes the claim from the dead one's name.
 */
export function takeOver(home: Home, found: FoundClaim, healer: HostIdentity): FoundClaim | undefined {
  const file = `${claimPath(home, found.runId)}.${healer.pid}-${Buffer.from(healer.start).toString("base64url")}`;
  try {
    renameSync(found.file, file);
    return { ...found, file };
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The healer that holds this claim, if it isn't the host's own any more. */
export function healerOf(found: FoundClaim): { pid: number; start: string } | undefined {
  const match = /\.json\.(\d+)-([\w-]+)$/.exec(found.file);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { pid: Number(match[1]), start: Buffer.from(match[2], "base64url").toString() };
}

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
  try {
    const value: Partial<Claim> = JSON.parse(readFileSync(file, "utf8"));
    const { pid, start, boot, namespace, dir } = value;
    if (typeof pid !== "number" || typeof start !== "string" || typeof dir !== "string") return undefined;
    return { pid, start, dir, boot: boot ?? "", namespace: namespace ?? "" };
  } catch {
    return undefined; // gone meanwhile, or damaged: the caller drops what stays damaged
  }
}
