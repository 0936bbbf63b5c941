import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../../../lib/files/atomic-file.ts";
import type { Repository } from "../git/repository.ts";
import type { Shadow } from "./shadow.ts";

/**
 * What was found out about the shadow's index when it was written, so that a look at files that nobody changed asks git only
 * whether somebody did: it holds every file that the repository tracks, and this is its tree.
 */
interface KnownIndex {
  /** Which index of the shadow this is said of. */
  index: string;
  /** Which index of the repository names the tracked files. */
  real: string;
  tree: string;
}

/** `undefined` where anything is other than it was then. */
export function knownIndex(shadow: Shadow, repository: Repository): KnownIndex | undefined {
  const known = read(pathOf(shadow));
  if (known === undefined || known.index !== printOf(shadow.index) || known.real !== printOf(realIndex(repository))) {
    return undefined;
  }
  // Git may have cleaned up what no ref led to any more. Packed or gone: then the tree is written again.
  const loose = join(repository.objects, known.tree.slice(0, 2), known.tree.slice(2));
  return existsSync(loose) ? known : undefined;
}

export const rememberIndex = (shadow: Shadow, known: KnownIndex): void =>
  writeFileAtomic(pathOf(shadow), JSON.stringify(known));

export const forgetIndex = (shadow: Shadow): void => rmSync(pathOf(shadow), { force: true });

export const realIndex = (repository: Repository): string => join(repository.gitDir, "index");

/** An index is never changed, only replaced: another file, or one from another moment, is another index. */
export function printOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? "none" : `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}

const pathOf = ({ index }: Shadow): string => `${index}.known`;

function read(path: string): KnownIndex | undefined {
  try {
    const { index, real, tree }: Partial<KnownIndex> = JSON.parse(readFileSync(path, "utf8"));
    const isWhole = typeof index === "string" && typeof real === "string" && /^[0-9a-f]{40,64}$/.test(tree ?? "");
    return isWhole && tree !== undefined ? { index, real, tree } : undefined;
  } catch {
    return undefined; // not there, or not ours: it is only a memory
  }
}
