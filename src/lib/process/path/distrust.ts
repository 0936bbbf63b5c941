import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { linkTrail } from "../../files/link-trail.ts";
import { isWithin } from "../../files/within.ts";

/**
 * Folders that agents of ours can write, as far as this process knows: workspaces, their homes, their runs. What we start
 * ourselves (an agent, git, bwrap, podman, gh …) never comes from there, however it got on the PATH. For the whole process, and
 * it only grows: whoever looks for a program can't forget to say where it must not come from.
 */
const distrusted = new Set<string>();

/**
 * A folder that holds the person's own home is left out: all that they installed for themselves lies there, and an agent that
 * may write all of it needs no PATH to reach them.
 */
export function distrust(folders: Iterable<string>): void {
  const home = linkTrail(homedir() || "/").at(-1) ?? "/";
  for (const folder of folders) {
    for (const place of linkTrail(folder)) if (!isWithin(home, place)) distrusted.add(place);
  }
}

/**
 * More of them, asked for whenever a program is looked for: a command that starts none doesn't wait for the list, and one that
 * lives long learns what was added since. A list that can't be read is thrown, each time.
 */
export function distrustAsListed(list: () => Iterable<string>): void {
  lists.push(list);
}
const lists: (() => Iterable<string>)[] = [];

/** Whether an agent could have put it there, or the link that leads to it. */
export function isDistrusted(path: string): boolean {
  for (const list of lists) distrust(list());
  if (distrusted.size === 0) return false;
  return linkTrail(path).some((place) => [...distrusted].some((folder) => isWithin(place, folder)));
}

/** The PATH for what we start ourselves: it looks up programs of its own. */
export function ownPath(path: string): string {
  const entries = path.split(":").filter((entry) => isAbsolute(entry) && !isDistrusted(entry));
  return entries.join(":") || DEFAULT_PATH; // an empty one would mean the current folder
}

export const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/** The entries that are passed over for this reason, each once. */
export function passedOver(path: string | undefined): string[] {
  const entries = (path ?? "").split(":").filter((entry) => isAbsolute(entry) && isDistrusted(entry));
  return [...new Set(entries)];
}
