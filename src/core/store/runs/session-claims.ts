import { createHash } from "node:crypto";
import { linkSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { createFileExclusive } from "../../../lib/files/atomic-file.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import type { Home } from "../home.ts";
import { readSmallFile } from "../small-file.ts";
import { isClaimed } from "./claims.ts";

/**
 * `hosts/<hash>.session` names the run that goes on with a conversation, from before its agent is started until it ends: of
 * several who want to go on with the same one at once, one does.
 */
export function claimSession(home: Home, session: { agent: string; sessionId: string }, runId: string): void {
  const path = pathOf(home, session);
  while (!createFileExclusive(path, runId)) {
    const holder = readSmallFile(path);
    if (holder === runId) return;
    if (holder !== undefined && isClaimed(home, holder)) {
      throw new AppError(
        "session.busy",
        `run ${holder} goes on with this conversation already; send it your prompt: cox prompt ${holder} "…"`,
        { run: holder },
      );
    }
    clearAway(path, holder, runId);
  }
}

export function releaseSession(home: Home, session: { agent: string; sessionId: string }, runId: string): void {
  const path = pathOf(home, session);
  if (readSmallFile(path) === runId) rmSync(path, { force: true });
}

/** What a run left that has ended. By renaming: somebody's that came meanwhile is put back. */
function clearAway(path: string, holder: string | undefined, runId: string): void {
  const aside = `${path}.${runId}`;
  try {
    renameSync(path, aside);
    if (readSmallFile(aside) !== holder) linkSync(aside, path);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes(errnoOf(error))) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

const pathOf = (home: Home, { agent, sessionId }: { agent: string; sessionId: string }) =>
  join(home.hosts, `${createHash("sha256").update(`${agent}\0${sessionId}`).digest("hex").slice(0, 32)}.session`);
