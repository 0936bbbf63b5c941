import { join, relative } from "node:path";
import { isWithin } from "../../lib/files/within.ts";

/** Something of this machine that an isolated agent gets to see. Paths are absolute and real. */
export interface Mount {
  source: string;
  target: string;
  write: boolean;
}

export const asItIs = (path: string, write: boolean): Mount => ({ source: path, target: path, write });

/** Where a path of this machine shows up through the mount, if it does. */
export function seenThrough({ source, target }: Mount, path: string): string | undefined {
  return isWithin(path, source) ? join(target, relative(source, path)) : undefined;
}
