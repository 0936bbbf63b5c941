import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { createFileExclusive } from "../../files/atomic-file.ts";
import { errnoOf } from "../../files/disk-error.ts";
import { isGone, ourselves } from "./holder.ts";

const POLL_MS = 50;

/** One at a time, across processes. Whoever died with the lock loses it. */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  { waitMs, clock = systemClock }: { waitMs: number; clock?: Clock },
): Promise<T> {
  const deadline = clock.monotonic() + waitMs;
  while (!createFileExclusive(file, JSON.stringify(ourselves()))) {
    if (breakStale(file)) continue;
    if (clock.monotonic() > deadline) {
      const held = readFileOrNothing(file);
      throw new AppError("workspace.busy", `${file}: held by another process for too long (${held})`, { file });
    }
    await clock.sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** Taken away under another name, looked at again, and put back if it was somebody's new one after all. */
function breakStale(file: string): boolean {
  if (!isStale(readFileOrNothing(file))) return false;
  const aside = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    renameSync(file, aside);
    if (!isStale(readFileOrNothing(aside))) linkSync(aside, file);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT" && errnoOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  return true;
}

function isStale(text: string): boolean {
  if (text === "") return false;
  try {
    return isGone(JSON.parse(text));
  } catch {
    return true; // nobody of ours writes such a file
  }
}

function readFileOrNothing(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "";
    throw error;
  }
}
