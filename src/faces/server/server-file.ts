import { linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { Home } from "../../core/store/home.ts";
import type { HostIdentity } from "../../core/store/runs/claims.ts";
import { isGone, ownIdentity } from "../../core/tasks/presence.ts";
import { createFileExclusive } from "../../lib/files/atomic-file.ts";
import { errnoOf } from "../../lib/files/disk-error.ts";
import { serverTokenFile } from "./access/server-token.ts";

/** `server.json`: which process serves this home, and where. One at a time; removed when it stops. */
export interface ServerRecord extends HostIdentity {
  url: string;
  started: string;
  token_file: string;
}

const fileOf = (home: Home): string => join(home.root, "server.json");

/** The server that lives, if any. */
export function findServer(home: Home): ServerRecord | undefined {
  const found = read(fileOf(home));
  return found === undefined || isGone(found) ? undefined : found;
}

export function refuseSecond(home: Home): void {
  const first = findServer(home);
  if (first !== undefined) throw running(first);
}

/** Makes this process the server of the home, or throws who is. What a killed one left is cleared away. */
export function claimServer(home: Home, url: string, now: number): { release(): void } {
  const path = fileOf(home);
  const record: ServerRecord = {
    ...ownIdentity(),
    url,
    started: new Date(now).toISOString(),
    token_file: serverTokenFile(home),
  };
  while (!createFileExclusive(path, JSON.stringify(record))) {
    refuseSecond(home);
    clearAway(path);
  }
  return {
    release() {
      if (read(path)?.pid === process.pid) rmSync(path, { force: true });
    },
  };
}

/** By renaming: of several who find a dead one's file one gets it, and a living one's that came meanwhile is put back. */
function clearAway(path: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    const taken = read(aside);
    if (taken !== undefined && !isGone(taken)) linkSync(aside, path);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes(errnoOf(error))) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function running({ pid, url }: ServerRecord): AppError {
  return new AppError(
    "server.running",
    `serve: this home has a server already: ${url} (process ${pid}); open it with \`cox serve open\`, or stop that process first`,
    { pid, url },
  );
}

function read(path: string): ServerRecord | undefined {
  try {
    const value: Partial<ServerRecord> = JSON.parse(readFileSync(path, "utf8"));
    const { pid, start, boot, namespace, url, started = "", token_file = "" } = value;
    if (typeof pid !== "number" || typeof start !== "string" || typeof url !== "string") return undefined;
    return { pid, start, boot: boot ?? "", namespace: namespace ?? "", url, started, token_file };
  } catch {
    return undefined; // none, or damaged: nobody that lives wrote it
  }
}
