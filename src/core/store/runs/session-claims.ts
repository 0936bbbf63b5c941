import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { createHash } from "../../../lib/base/crypto.ts";
import { claimFile, releaseClaim } from "../../../lib/files/holding/claim-file.ts";
import type { Home } from "../home.ts";
import { isClaimed } from "./claims.ts";

/**
 * `hosts/<hash>.session` names the run that goes on with a conversation, from before its agent is started until it ends: of
 * several who want to go on with the same one at once, one does.
 */
export function claimSession(home: Home, session: Conversation, runId: string): void {
  const holder = claimFile(pathOf(home, session), runId, (run) => !isClaimed(home, run));
  if (holder === undefined || holder === runId) return;
  throw new AppError(
    "session.busy",
    `run ${holder} goes on with this conversation already; send it your prompt: cox prompt ${holder} "…"`,
    { run: holder },
  );
}

export function releaseSession(home: Home, session: Conversation, runId: string): void {
  releaseClaim(pathOf(home, session), runId);
}

interface Conversation {
  agent: string;
  sessionId: string;
}

const pathOf = (home: Home, { agent, sessionId }: Conversation) =>
  join(home.hosts, `${createHash("sha256").update(`${agent}\0${sessionId}`).digest("hex").slice(0, 32)}.session`);
