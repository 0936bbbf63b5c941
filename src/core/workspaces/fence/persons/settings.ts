/**
 * The settings of an agent's own git directory, written by us: facts about files and history, who the person is, and where
 * remotes are. What isn't in this table doesn't get in: many settings are programs, and some hold passwords.
 */
export function agentSettings(theirs: readonly Entry[]): string {
  const kept = theirs.flatMap(([key, value]) => keep(key, value));
  if (theirs.some(([key]) => key === "filter.lfs.clean")) kept.push(...LFS);
  const version = kept.some(([key]) => key.startsWith("extensions.")) ? "1" : "0";
  return [["core.repositoryformatversion", version] as const, ["core.bare", "false"] as const, ...kept]
    .map(([key, value]) => section(key, value))
    .join("");
}

export type Entry = readonly [key: string, value: string];

/**
 * The output of `git config --list --show-origin -z`, and the files it comes from: what comes from elsewhere is what we ourselves
 * told git. A key without a value is a switch that is on.
 */
export function settingsIn(listing: Buffer): { entries: Entry[]; origins: string[] } {
  const fields = listing.toString("utf8").split("\0").slice(0, -1);
  const entries: Entry[] = [];
  const origins = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, file] = /^file:(.*)$/s.exec(fields[at] ?? "") ?? [];
    if (file === undefined) continue;
    origins.add(file);
    entries.push(entryOf(fields[at + 1] ?? ""));
  }
  return { entries, origins: [...origins] };
}

function entryOf(field: string): Entry {
  const end = field.indexOf("\n");
  return end === -1 ? [field, "true"] : [field.slice(0, end), field.slice(end + 1)];
}

const TABLE: readonly (readonly [key: RegExp, value: (value: string) => string | undefined])[] = [
  [/^core\.(autocrlf|eol|safecrlf|filemode|ignorecase|symlinks|precomposeunicode)$/, word],
  [/^core\.sparsecheckout(cone)?$|^index\.sparse$/, word],
  [/^extensions\.(objectformat|partialclone)$/, word],
  [/^user\.(name|email)$/, text],
  [/^remote\..+\.url$/s, withoutCredentials],
  [/^remote\..+\.(fetch|promisor|partialclonefilter)$/s, text],
  [/^branch\..+\.(remote|merge)$/s, text],
];

function keep(key: string, value: string): Entry[] {
  const kept = /[\n\0]/.test(key) ? undefined : TABLE.find(([pattern]) => pattern.test(key))?.[1](value);
  return kept === undefined ? [] : [[key, kept]];
}

function word(value: string): string | undefined {
  return /^[\w.-]+$/.test(value) ? value : undefined;
}

function text(value: string): string | undefined {
  return /[\n\0]/.test(value) ? undefined : value;
}

/** A helper (`ext::sh -c …`) is a program. */
export function withoutCredentials(url: string): string | undefined {
  if (/^[\w+.-]+::/.test(url) || text(url) === undefined) return undefined;
  const [, scheme, user, rest = ""] = /^([\w+.-]+:\/\/)([^/]*)@(.*)$/s.exec(url) ?? [];
  if (scheme === undefined || user === undefined) return url;
  return scheme === "ssh://" ? `${scheme}${user.split(":")[0]}@${rest}` : `${scheme}${rest}`;
}

/** As its installation writes them. */
const LFS: readonly Entry[] = [
  ["filter.lfs.clean", "git-lfs clean -- %f"],
  ["filter.lfs.smudge", "git-lfs smudge -- %f"],
  ["filter.lfs.process", "git-lfs filter-process"],
  ["filter.lfs.required", "true"],
];

function section(key: string, value: string): string {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  const name = key.slice(0, first);
  const sub = first === last ? "" : ` "${key.slice(first + 1, last).replace(/[\\"]/g, "\\$&")}"`;
  return `[${name}${sub}]\n\t${key.slice(last + 1)} = "${value.replace(/[\\"]/g, "\\$&")}"\n`;
}
