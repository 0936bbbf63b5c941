import { dirname, join, relative } from "node:path";
import { AppError } from "../../../../contract/errors.ts";
import { isWithin } from "../../../../lib/files/within.ts";
import type { Shown } from "../agent-git.ts";
import { factsOf, linkError } from "./persons-git.ts";

/** Places in a workspace that git outside would look into for another repository. */
export interface Pins {
  /** To be made first; nothing is there. */
  missing: string[];
  shown: Shown[];
}

const MOST = 500;

/**
 * Holds the `.git` of submodules and other git directories of the person's as they are. Mounted on itself, a folder can't be
 * moved, nor can one that something is mounted in be put in its place; so every folder on the way is. A submodule that isn't
 * checked out stays as empty as it is, or the agent would put a repository there. What else is `closed` stays as it is, too.
 */
export function pinsOf(
  workspace: string,
  { gitlinks, nested, closed }: { gitlinks: readonly string[]; nested: readonly string[]; closed: readonly string[] },
): Pins {
  const submodules = gitlinks.map((path) => join(workspace, path)).filter((path) => isWithin(path, workspace));
  const count = new Set([...submodules.map((path) => join(path, ".git")), ...nested]).size;
  if (count > MOST) throw tooMany(workspace, count);
  const missing: string[] = [];
  const shown = new Map<string, Shown>();
  const show = (path: string, write: boolean) => shown.set(path, { source: path, target: path, write });
  const hold = (path: string) => {
    for (const folder of wayTo(workspace, path)) {
      const facts = factsOf(folder);
      if (facts === undefined) missing.push(folder);
      else if (facts.isSymbolicLink()) throw linkError(folder);
      else if (!facts.isDirectory()) throw notFolder(folder);
      if (!shown.has(folder)) show(folder, true);
    }
  };
  for (const checkout of submodules) {
    hold(checkout);
    const dotGit = factsOf(join(checkout, ".git"));
    if (dotGit?.isSymbolicLink()) throw linkError(join(checkout, ".git"));
    show(dotGit === undefined ? checkout : join(checkout, ".git"), false);
  }
  for (const git of nested) {
    hold(dirname(git));
    if (factsOf(git)?.isSymbolicLink()) throw linkError(git);
    show(git, false);
  }
  for (const path of closed) {
    hold(factsOf(path)?.isFile() ? dirname(path) : path);
    show(path, false);
  }
  return { missing: [...new Set(missing)], shown: [...shown.values()] };
}

/** From the outermost folder in the workspace to the path itself. */
function wayTo(workspace: string, path: string): string[] {
  const steps = relative(workspace, path).split("/").filter(Boolean);
  return steps.map((_, at) => join(workspace, ...steps.slice(0, at + 1)));
}

function notFolder(path: string): AppError {
  const message = `workspace: ${path}: is not a folder, where a submodule or hooks should be; restore it, or use --on local`;
  return new AppError("workspace.invalid", message, { path });
}

function tooMany(workspace: string, count: number): AppError {
  const message = `workspace ${workspace}: has ${count} repositories in it, more than an isolated agent can be kept from; name a folder with fewer, or use --on local`;
  return new AppError("workspace.invalid", message, { workspace });
}
