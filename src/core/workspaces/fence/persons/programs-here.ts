import { existsSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AppError } from "../../../../contract/errors.ts";
import { isWithin } from "../../../../lib/files/within.ts";
import { factsOf, type PersonsGit } from "./persons-git.ts";
import type { Entry } from "./settings.ts";

/**
 * What the person's git reads settings and hooks from, where that lies among the files of the workspace: `core.hooksPath`, a link
 * in place of `hooks`, files that the settings include. An agent must not write to them: they would be run outside. `root` is
 * the checkout whose git it is.
 */
export function programsHere(
  { commonDir, gitDir }: PersonsGit,
  { workspace, root = workspace }: { workspace: string; root?: string },
  settings: readonly Entry[],
  origins: readonly string[],
): string[] {
  const path = settings.findLast(([key]) => key === "core.hookspath")?.[1];
  const link = join(commonDir, "hooks");
  const hooks = [
    ...(path === undefined || path.startsWith("~") ? [] : [resolve(root, path)]),
    ...(factsOf(link)?.isSymbolicLink() ? [resolve(commonDir, readlinkSync(link))] : []),
  ];
  const included = includesOf(settings, gitDir, commonDir);
  for (const file of included) if (isWithin(file, workspace) && !existsSync(file)) throw missing(file);
  return [...hooks, ...included, ...origins]
    .map((place) => (existsSync(place) ? realpathSync(place) : place))
    .filter((place) => place !== workspace && isWithin(place, workspace))
    .filter((place) => !isWithin(place, gitDir) && !isWithin(place, commonDir));
}

/** Those that exist are among the origins too; one that doesn't could be made. */
function includesOf(settings: readonly Entry[], ...folders: string[]): string[] {
  const named = settings.filter(([key, value]) => /^include(if\..*)?\.path$/s.test(key) && !value.startsWith("~"));
  return [...new Set(named.flatMap(([, value]) => folders.map((folder) => resolve(folder, value))))];
}

function missing(file: string): AppError {
  const message = `workspace ${dirname(file)}: git's settings include ${file}, which doesn't exist, so an isolated agent could write it; create it, or take it out of the settings`;
  return new AppError("workspace.invalid", message, { file });
}
