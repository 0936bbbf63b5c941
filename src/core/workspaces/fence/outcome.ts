/** What the agent's git had to say, in its own sandbox: where its refs are, and its new objects. All of it is hostile. */
export interface Outcome {
  /** Full name of the branch, or a commit. */
  head: string;
  refs: ReadonlyMap<string, string>;
  /** Where the pack begins; `undefined` when there is nothing new. */
  packAt?: number;
}

/**
 * Run inside, with what is known outside on stdin as `^<id>` lines. First the refs, an empty line, then a bundle, if there is
 * anything to put in it: git refuses to make an empty one. Its stderr is kept for the case that something was expected.
 */
export const OUTCOME_SCRIPT = `
git for-each-ref --format='%(objectname) %(refname)' refs/heads refs/tags refs/stash || exit
head=$(git symbolic-ref -q HEAD || git rev-parse -q --verify HEAD)
printf '%s HEAD\\n\\n' "$head"
set -- --branches --tags
git rev-parse -q --verify HEAD > /dev/null && set -- "$@" HEAD
git rev-parse -q --verify refs/stash > /dev/null && set -- "$@" refs/stash
git bundle create -q - --ignore-missing "$@" --stdin
exit 0`;

const MAX_HEADER = 4 * 1024 * 1024;
const ID = "(?:[0-9a-f]{40}|[0-9a-f]{64})";

/** `undefined` for anything but what the script prints. */
export function parseOutcome(bytes: Buffer): Outcome | undefined {
  const end = bytes.subarray(0, MAX_HEADER).indexOf("\n\n");
  if (end === -1) return undefined;
  const lines = bytes.toString("utf8", 0, end).split("\n");
  const [, head] = new RegExp(`^(${ID}|refs/heads/\\S+) HEAD$`).exec(lines.pop() ?? "") ?? [];
  if (head === undefined) return undefined;
  const refs = new Map<string, string>();
  for (const line of lines) {
    const [, id, ref] = new RegExp(`^(${ID}) (refs/(?:heads/|tags/|stash$).*)$`).exec(line) ?? [];
    if (id === undefined || ref === undefined) return undefined;
    refs.set(ref, id);
  }
  const bundle = end + 2;
  if (bundle >= bytes.length) return { head, refs };
  // Of one that turns out to have nothing in it git leaves the beginning.
  const header = bytes.indexOf("\n\n", bundle);
  const isBundle = /^# v[23] git bundle\n/.test(bytes.toString("latin1", bundle, bundle + 20));
  if (!isBundle) return undefined;
  return header === -1 || header + 2 >= bytes.length ? { head, refs } : { head, refs, packAt: header + 2 };
}

/** Where the agent's ref goes in the person's repository; `undefined` for a name that nobody should have to type. */
export function keptAs(run: string, ref: string): string | undefined {
  const isPlain = /^(HEAD|refs\/(heads|tags)\/[\p{L}\p{N}_][\p{L}\p{N}_.+@=,#/-]*|refs\/stash)$/u.test(ref);
  if (!isPlain || ref.length > 200 || /\.\.|\/\/|\/\.|@\{|\.lock(\/|$)|[./]$/.test(ref)) return undefined;
  return `refs/cox/${run}/${ref.replace(/^refs\//, "")}`;
}
