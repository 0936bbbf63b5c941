import { createHash } from "node:crypto";

const MAX = 63;

/** The Job of an attempt. The first has the Task's own name; a name that would be too long is cut and told apart by a hash. */
export function jobNameOf(task: string, attempt: number): string {
  return attempt <= 1 ? task : derivedName(task, `-try-${attempt}`);
}

/** The ConfigMap with what is too long for the Job: prompt, instructions, plugins, files. */
export const filesNameOf = (task: string, attempt: number): string => derivedName(task, `-files-${attempt}`);

/** The Lease of a branch. */
export function lockNameOf(workspace: string, branch: string): string {
  return `cox-branch-${hash(`${workspace}\0${branch}`, 20)}`;
}

function derivedName(name: string, ending: string): string {
  if (name.length + ending.length <= MAX) return `${name}${ending}`;
  const mark = `-${hash(name, 8)}${ending}`;
  return `${name.slice(0, MAX - mark.length)}${mark}`;
}

const hash = (text: string, length: number): string => createHash("sha256").update(text).digest("hex").slice(0, length);
