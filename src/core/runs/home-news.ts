import { existsSync } from "node:fs";
import { Bell } from "../../lib/base/bell.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Home } from "../store/home.ts";
import { readClaims } from "../store/runs/claims.ts";
import { runPaths } from "../store/runs/run-directory.ts";
import { heal } from "../tasks/heal.ts";

/** Without being told anything: ages grow, and some file systems tell nothing. */
const LOOK_MS = 1000;
/** Whoever looks at all runs does it so often at most, however much they say. */
const PAUSE_MS = 200;
const HEAL_MS = 2000;

/**
 * At once, and whenever a run may have begun, asked something, gone on or ended: told by the folder of claims and the logs of
 * those that live. Runs whose host died are ended meanwhile.
 */
export async function* homeNews(home: Home, clock: Clock, signal: AbortSignal): AsyncGenerator<void> {
  let watched: string | undefined;
  let bell: Bell | undefined;
  let healed = Number.NEGATIVE_INFINITY;
  const ring = () => bell?.ring();
  signal.addEventListener("abort", ring);
  try {
    while (!signal.aborted) {
      if (clock.monotonic() - healed >= HEAL_MS) {
        await heal(home, clock);
        healed = clock.monotonic();
      }
      // Before the look, so that nothing in between goes unnoticed.
      const paths = pathsOf(home);
      if (bell === undefined || paths.join("\n") !== watched) {
        bell?.close();
        bell = new Bell(paths, LOOK_MS);
        watched = paths.join("\n");
      }
      yield;
      if (signal.aborted) return;
      await bell.rung();
      await clock.sleep(PAUSE_MS, signal);
    }
  } finally {
    signal.removeEventListener("abort", ring);
    bell?.close();
  }
}

function pathsOf(home: Home): string[] {
  const logs = readClaims(home).flatMap(({ claim }) => (claim === undefined ? [] : [runPaths(claim.dir).events]));
  return [home.hosts, ...logs].filter((path) => existsSync(path));
}
