import { statSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { claimFile, releaseClaim } from "../../files/holding/claim-file.ts";
import { parseHeld } from "../../files/holding/holder.ts";
import { isGone, ourselves } from "./holder.ts";

const POLL_MS = 50;

export interface LockOptions {
  waitMs: number;
  /** Nobody holds it that long: whoever did is gone, also where it can't be asked. */
  longestMs?: number;
  clock?: Clock;
}

/** One at a time, across processes. Whoever died with the lock loses it. */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  { waitMs, longestMs = Number.POSITIVE_INFINITY, clock = systemClock }: LockOptions,
): Promise<T> {
  const ours = JSON.stringify(ourselves());
  const isLeft = (text: string, path: string) => {
    const held = parseHeld(text);
    return held === undefined || isGone(held.holder) || clock.now() - madeAt(path) > longestMs;
  };
  const deadline = clock.monotonic() + waitMs;
  for (;;) {
    const held = claimFile(file, ours, isLeft);
    if (held === undefined) break;
    if (clock.monotonic() > deadline) {
      throw new AppError("workspace.busy", `${file}: held by another process for too long (${held})`, { file });
    }
    await clock.sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    releaseClaim(file, ours);
  }
}

const madeAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
