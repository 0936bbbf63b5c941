import { AppError } from "../../../contract/errors.ts";
import type { Setting } from "./git-environment.ts";

/**
 * Settings of a repository that name a program to run, made harmless. Only the repository's own (`local`, `worktree`) are
 * touched: it may come from anywhere, or an agent may have written them; the person's own filters (git-lfs …) still work.
 * `listing` is the output of `git config --list --show-scope --name-only -z`.
 */
export function guardAgainst(listing: Buffer): Setting[] {
  const settings: Setting[] = [];
  const fields = listing.toString("latin1").split("\0");
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [scope, bytes = ""] = [fields[i], fields[i + 1]];
    if (scope !== "local" && scope !== "worktree") continue;
    for (const [pattern, harmless] of PROGRAMS) {
      if (pattern.test(bytes)) settings.push(...harmless(nameOf(bytes)));
    }
  }
  return settings;
}

const only =
  (value: string) =>
  (key: string): Setting[] => [[key, value]];

const PROGRAMS: readonly (readonly [RegExp, (key: string) => Setting[]])[] = [
  [/^filter\..*\.(clean|smudge|process)$/s, noFilter],
  // As if no driver was named for these files.
  [/^merge\..*\.driver$/s, only("git merge-file -q %A %O %B")],
  [/^hook\..*\.command$/s, only("true")],
  [/^core\.sshcommand$/, only("ssh")],
  [/^credential\.(.*\.)?helper$/s, only("")],
];

function noFilter(key: string): Setting[] {
  const required = `${key.slice(0, key.lastIndexOf("."))}.required`;
  return [
    [key, ""],
    [required, "false"],
  ];
}

/** A name that we could not repeat exactly could not be overridden either. */
function nameOf(bytes: string): string {
  const buffer = Buffer.from(bytes, "latin1");
  const name = buffer.toString("utf8");
  if (Buffer.from(name).equals(buffer)) return name;
  throw new AppError(
    "workspace.invalid",
    `git: the repository's configuration names a program under ${JSON.stringify(name)}, which is not valid UTF-8; remove it`,
  );
}
