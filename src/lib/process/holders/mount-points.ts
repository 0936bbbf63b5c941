import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createHash } from "../../base/crypto.ts";
import { createFileExclusive, writeFileAtomic } from "../../files/atomic-file.ts";
import { diskError, errnoOf } from "../../files/disk-error.ts";
import type { Holder } from "../../files/holding/holder.ts";
import { isGone, ourselves } from "./holder.ts";
import { withLock } from "./lock.ts";

/** What an isolated run has of this machine while it lives, for whoever comes beside it. */
export interface Hold {
  /** Folders its agent may write to: anything in them may be a link at the next look. */
  writable: readonly string[];
  /** Places in them that it has mounted, with every folder on the way: those it can't move. */
  pins: readonly { source: string; target: string; write: boolean }[];
  /** Other repositories that were there before it. */
  nested: readonly { path: string; inode: string }[];
}

export interface LivingRun extends Hold {
  run: string;
  ledger: string;
}

/**
 * Empty folders in a workspace that isolated runs have something mounted over. Whoever removed one while another run is there
 * would take that run's mount away with it, so the last run that holds them removes them. `ledger` is the workspace's folder in
 * our state: `runs/<run>` says who is there, `made/*` which folders are ours to remove. One at a time, in all workspaces:
 * `enter` sees everybody who is there already, and whoever comes next sees what it decided.
 */
export async function holdMountPoints(
  ledger: string,
  runDirectory: string,
  enter: (living: LivingRun[]) => Promise<{ hold: Hold; make: readonly string[] }>,
): Promise<void> {
  for (const name of ["runs", "made"]) mkdirSync(join(ledger, name), { recursive: true, mode: 0o700 });
  // Before the first folder is made: a kill in between leaves a note too many, never one too few.
  writeFileAtomic(noteIn(runDirectory), `${JSON.stringify({ ledger })}\n`);
  await locked(ledger, async () => {
    const run = basename(runDirectory);
    const living = livingIn(dirname(ledger)).filter((other) => other.run !== run);
    const { hold, make } = await enter(living);
    writeFileAtomic(join(ledger, "runs", run), JSON.stringify({ holder: ourselves(), hold }));
    for (const path of make) makeFolder(ledger, path);
  });
}

/** In all workspaces. */
function livingIn(ledgers: string): LivingRun[] {
  const folders = readdirSync(ledgers).map((name) => join(ledgers, name));
  return folders.flatMap((ledger) => {
    const runs = join(ledger, "runs");
    const names = existsSync(runs) ? readdirSync(runs) : [];
    return names.flatMap((run) => {
      const { holder, hold } = readHold(join(runs, run));
      return hold === undefined || holder === undefined || isGone(holder) ? [] : [{ ...hold, run, ledger }];
    });
  });
}

/** A whole one is there at once: anything else is what a host left that was killed while it wrote. */
function readHold(file: string): { holder?: Holder; hold?: Hold } {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Noted first, for a kill in between. What is there already is the person's, or of a run beside this one. */
function makeFolder(ledger: string, path: string): void {
  const note = join(ledger, "made", createHash("sha256").update(path).digest("hex"));
  const isNew = createFileExclusive(note, path);
  try {
    mkdirSync(path, { mode: 0o755 });
  } catch (error) {
    if (isNew) rmSync(note, { force: true });
    if (errnoOf(error) === "EEXIST") return;
    throw diskError("make a place for the agent's own git", path, error);
  }
}

/** After a run, or after its host was killed, by whoever looks next. */
export async function releaseMountPoints(runDirectory: string): Promise<void> {
  const ledger = readNote(runDirectory);
  if (ledger === undefined) return;
  await locked(ledger, async () => {
    rmSync(join(ledger, "runs", basename(runDirectory)), { force: true });
    if (readdirSync(join(ledger, "runs")).length > 0) return;
    const notes = readdirSync(join(ledger, "made")).map((name) => join(ledger, "made", name));
    const made = notes.map((note) => ({ note, path: readFileSync(note, "utf8") }));
    for (const { note, path } of made.sort((a, b) => b.path.length - a.path.length)) {
      removeEmpty(path);
      rmSync(note, { force: true });
    }
  });
  rmSync(noteIn(runDirectory), { force: true });
}

const noteIn = (runDirectory: string) => join(runDirectory, "mount-points.json");
const locked = (ledger: string, work: () => Promise<void>) =>
  withLock(join(dirname(ledger), "lock"), work, { waitMs: WAIT_MS });
const WAIT_MS = 60_000;

/** Whatever somebody has put there by now is theirs. */
function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "ENOTDIR", "EEXIST"].includes(errnoOf(error))) throw error;
  }
}

function readNote(runDirectory: string): string | undefined {
  try {
    const { ledger }: { ledger?: unknown } = JSON.parse(readFileSync(noteIn(runDirectory), "utf8"));
    return typeof ledger === "string" ? ledger : undefined;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined; // none, as with nearly every run
    throw error;
  }
}
