import { readFileSync, rmSync, statSync } from "node:fs";
import { createHash } from "../../base/crypto.ts";
import { createFileExclusive } from "../atomic-file.ts";
import { errnoOf } from "../disk-error.ts";

/** Whether whoever wrote this is gone. */
export type IsLeft = (text: string, path: string) => boolean;

/**
 * Makes the file `path`, which says by being there that something is ours: of several one succeeds, also where a dead one's
 * file is in the way. Returns what stands in it when it is another's, `undefined` when it is ours now.
 */
export function claimFile(path: string, ours: string, isLeft: IsLeft): string | undefined {
  for (let round = 1; ; round += 1) {
    if (createFileExclusive(path, ours)) return undefined;
    const held = readClaimFile(path);
    if (held === undefined) continue; // released at this moment
    if ((held === "" && isBeingWritten(path)) || !isLeft(held, path)) return held;
    if (clearAway(path, held, ours, isLeft)) continue;
    if (round >= ROUNDS) return held;
    pause(PAUSE_MS);
  }
}

/** Removes it, unless it became another's. */
export function releaseClaim(path: string, ours: string): void {
  if (readClaimFile(path) === ours) rmSync(path, { force: true });
}

export function readClaimFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Between a file's creation and its content are microseconds where it can't be made whole at once, but of a process that may
 * have been stopped there. Also `true` when it is gone.
 */
export function isBeingWritten(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts === undefined || Math.abs(Date.now() - facts.mtimeMs) < WRITING_MS;
}

const WRITING_MS = 10_000;

/**
 * Only who has claimed the removal of exactly this text may remove it. So what somebody made meanwhile is never taken away, not
 * even for a moment; and when the remover dies, its claim is a dead one's claim like any other. `false`: one that lives is at it.
 */
function clearAway(path: string, held: string, ours: string, isLeft: IsLeft): boolean {
  const removal = `${path}.${createHash("sha256").update(held).digest("hex").slice(0, 16)}`;
  if (claimFile(removal, ours, isLeft) !== undefined) return false;
  try {
    if (readClaimFile(path) === held) rmSync(path, { force: true });
  } finally {
    releaseClaim(removal, ours);
  }
  return true;
}

/** A removal takes microseconds; longer only when whoever does it was stopped in the middle. */
const ROUNDS = 50;
const PAUSE_MS = 2;

const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
