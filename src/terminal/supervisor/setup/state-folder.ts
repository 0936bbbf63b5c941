import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import { isWithin } from "../../../lib/files/within.ts";
import type { Step } from "../step.ts";

/** What must survive a restart lies on the volume, and `~/.claude` leads there. */
export const stateFolder: Step = {
  name: "state folder",
  required: true,
  run({ settings, places }) {
    for (const folder of [settings.state, places.claude, places.terminal])
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    const own = join(settings.home, ".coxswain");
    // One that is there already is somebody's; the agent's `cox` then uses that.
    if (statOf(own) === undefined) {
      mkdirSync(settings.coxHome, { recursive: true, mode: 0o700 });
      symlinkSync(settings.coxHome, own);
    }
    // A volume may come back opened to a group (fsGroup).
    if (isWithin(settings.coxHome, settings.state) && existsSync(settings.coxHome)) chmodSync(settings.coxHome, 0o700);
    if (places.link === undefined) return { note: `${places.claude} as it is` };
    const moved = link(places.link, places.claude);
    return { note: `${places.link} → ${places.claude}${moved === undefined ? "" : `, ${moved} kept`}` };
  },
};

/** Returns where the folder that stood in the link's place is now; what the state lacks of it is copied there. */
function link(from: string, to: string): string | undefined {
  mkdirSync(dirname(from), { recursive: true });
  const stat = statOf(from);
  if (stat?.isSymbolicLink()) {
    if (readlinkSync(from) === to) return undefined;
    rmSync(from);
  }
  const aside = stat !== undefined && !stat.isSymbolicLink() ? asideOf(from) : undefined;
  if (aside !== undefined) {
    if (stat?.isDirectory()) cpSync(from, to, { recursive: true, force: false, errorOnExist: false });
    renameSync(from, aside);
  }
  symlinkSync(to, from);
  return aside;
}

function statOf(path: string) {
  try {
    return lstatSync(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function asideOf(path: string): string {
  for (let n = 1; ; n += 1) if (!existsSync(`${path}.before-${n}`)) return `${path}.before-${n}`;
}
