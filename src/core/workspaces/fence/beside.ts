import { AppError } from "../../../contract/errors.ts";
import { isWithin } from "../../../lib/files/within.ts";
import type { LivingRun } from "../../../lib/process/holders/mount-points.ts";

/**
 * Pure: refuses to mount anything from, or at, a place in what a living isolated agent may write. It could put a link there
 * between our look and the mount, and whoever is started next would have whatever the link leads to. What that agent has mounted
 * itself it can't move, what it has mounted to be read it can't change, and the outermost folder lies where it can't write.
 */
export function requireOutOfReach(places: readonly string[], living: readonly LivingRun[]): void {
  for (const { run, writable, pins } of living) {
    const isHeld = (path: string) =>
      pins.some(({ target, write }) => path === target || (!write && isWithin(path, target)));
    for (const folder of writable) {
      const place = places.find((path) => path !== folder && isWithin(path, folder) && !isHeld(path));
      if (place !== undefined) throw inReach(place, folder, run);
    }
  }
}

function inReach(place: string, folder: string, run: string): AppError {
  const message = `${place}: lies in ${folder}, where the isolated agent of run ${run} is at work and could replace it; wait for that run, stop it (cox stop ${run}), or start in ${folder} itself`;
  return new AppError("workspace.busy", message, { place, folder, run });
}
