import { renameSync } from "node:fs";
import { errnoOf } from "../disk-error.ts";
import { type Holder, parseHeld } from "./holder.ts";

/**
 * Work that one process at a time does, as a file: `<name>.json` while anybody may take it, `<name>.json.<holder>` while
 * somebody has it. Taken by renaming: of several one succeeds, and who dies with it leaves it, under its name, to the next.
 */
export function takeFile(file: string, holder: Holder): string | undefined {
  const mine = `${freeName(file)}.${Buffer.from(JSON.stringify(holder)).toString("base64url")}`;
  return moveFile(file, mine) ? mine : undefined;
}

/** `false` when somebody else was first. */
export function moveFile(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}

export const freeName = (file: string): string => file.replace(TAKEN, ".json");

/** Who has it; `undefined` when nobody does, also for a name that nobody of ours gave. */
export function holderIn(file: string, here: Pick<Holder, "boot" | "namespace">): Holder | undefined {
  const name = TAKEN.exec(file)?.[1];
  if (name === undefined) return undefined;
  return parseHeld(decoded(name))?.holder ?? earlierHolder(name, here);
}

/**
 * `<pid>-<start>` and `<pid>-<boot start>`, as earlier versions wrote them: what such a one left must be found. They said
 * nothing of the namespace; only processes of the same one took such a file.
 */
function earlierHolder(name: string, here: Pick<Holder, "boot" | "namespace">): Holder | undefined {
  const [, pid, rest] = /^(\d+)-([\w-]+)$/.exec(name) ?? [];
  if (pid === undefined || rest === undefined) return undefined;
  const [, boot, start] = /^(\S*-\S*) (.*)$/s.exec(decoded(rest)) ?? [];
  return { ...here, pid: Number(pid), start: start ?? decoded(rest), ...(boot === undefined ? {} : { boot }) };
}

const decoded = (text: string) => Buffer.from(text, "base64url").toString();

const TAKEN = /\.json\.([\w-]+)$/;
