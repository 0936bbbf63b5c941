import { GITLINK, type RawChange } from "../diff-parse.ts";
import { foldersOf } from "./restore-file.ts";

export interface UndoPlan {
  /** As they are to be. */
  write: RawChange[];
  remove: RawChange[];
  /** Neither as the run left them nor as they are to be: somebody has them in hand. */
  edited: RawChange[];
  left: { path: string; why: string }[];
}

export interface UndoFacts {
  /** From what the run left to what is to be. */
  work: readonly RawChange[];
  /** From what the run left to what is there now. */
  since: readonly RawChange[];
  /** From what is to be to what is there now. */
  beyond: readonly RawChange[];
  /** Not in one of the three, or not as they are. */
  untaken: readonly string[];
}

/** Only what the run did is reversed. What was not kept can't be put back, and what is in the way of a file stays. */
export function planUndo({ work, since, beyond, untaken }: UndoFacts): UndoPlan {
  const [skipped, changed, differing] = [new Set(untaken), pathsOf(since), pathsOf(beyond)];
  const plan: UndoPlan = { write: [], remove: [], edited: [], left: [] };
  for (const change of work) {
    const { path, status, oldMode, newMode } = change;
    if (!differing.has(path)) continue;
    if (oldMode === GITLINK || newMode === GITLINK) plan.left.push({ path, why: "a repository of its own" });
    else if (skipped.has(path)) plan.left.push({ path, why: "too large or not readable, so it was not kept" });
    else if (changed.has(path)) plan.edited.push(change);
    else if (status === "D") plan.remove.push(change);
    else plan.write.push(change);
  }
  return withoutBlocked(plan, beyond);
}

/** A file that others made where a folder is to be, or below what is to be a file. */
function withoutBlocked(plan: UndoPlan, beyond: readonly RawChange[]): UndoPlan {
  const going = pathsOf(plan.remove);
  const theirs = beyond.filter(({ status, path }) => status === "A" && !going.has(path)).map(({ path }) => path);
  const files = new Set(theirs);
  const folders = new Set(theirs.flatMap(foldersOf));
  const why = (path: string) => {
    if (folders.has(path)) return "a folder that is not empty is in its place";
    return foldersOf(path).some((folder) => files.has(folder))
      ? "something that is no folder is in the place of one"
      : undefined;
  };
  const left = plan.write.flatMap(({ path }) => {
    const reason = why(path);
    return reason === undefined ? [] : [{ path, why: reason }];
  });
  const write = plan.write.filter(({ path }) => why(path) === undefined);
  return { ...plan, write, left: [...plan.left, ...left] };
}

const pathsOf = (changes: readonly RawChange[]) => new Set(changes.map(({ path }) => path));
