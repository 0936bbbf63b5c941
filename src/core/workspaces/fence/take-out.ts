import { AppError } from "../../../contract/errors.ts";
import { shorten } from "../../../contract/ids.ts";
import { gitOf } from "./agent-git.ts";
import { moveBranch, type Standing } from "./move-branch.ts";
import { keptAs, type Outcome, parseOutcome } from "./outcome.ts";
import type { PersonsGit } from "./persons/persons-git.ts";

export interface Checkout {
  person: PersonsGit;
  workspace: string;
  run: string;
  /** Its history is not all here. */
  partial: boolean;
  /** What the person had checked out when the run began; "" before the first commit. */
  base: string;
}

/** What was last seen: of the person's checkout, and of the agent's refs. */
export interface Seen {
  standing: Standing;
  refs: ReadonlyMap<string, string>;
}

export interface Taken extends Seen {
  /** For the person: commits that are somewhere else than one would look. */
  words: string[];
  /** The person's branch is where the agent's is. */
  settled: boolean;
}

/** More than this nobody commits in one turn. */
export const MAX_OUTCOME_BYTES = 512 * 1024 * 1024;
const TIMEOUT_MS = 5 * 60_000;
const MOST_REFS = 1000;

/**
 * The agent's new commits, from what its git said to the person's repository: checked as a server checks what is pushed to it,
 * then the checked-out branch is moved if nobody else moved it, and everything else is kept under `refs/cox/<run>/`.
 */
export async function takeOut(checkout: Checkout, seen: Seen, bytes: Buffer): Promise<Taken> {
  const outcome = parseOutcome(bytes);
  if (outcome === undefined) throw refused("git in the agent's place doesn't answer as git does");
  const refs = new Map([...outcome.refs, ...detached(outcome)]);
  const changed = [...refs].filter(([ref, id]) => seen.refs.get(ref) !== id);
  if (changed.length > MOST_REFS)
    throw refused(`it changed ${changed.length} branches and tags, more than ${MOST_REFS}`);
  if (changed.length > 0) await receive(checkout, bytes, outcome, changed);
  const { ref } = seen.standing;
  const isTheirs = ([name]: readonly [string, string]) => name === ref;
  const words = await keep(
    checkout,
    changed.filter((entry) => !isTheirs(entry)),
  );
  const commit = refs.get(ref);
  if (commit === undefined || commit === seen.standing.commit) return { ...seen, refs, words, settled: true };
  const { person, workspace, run } = checkout;
  const goesOn = await contains(checkout, commit);
  const moved = goesOn ? await moveBranch(person, workspace, seen.standing, { commit, run }) : LEAVES_OUT;
  if (typeof moved !== "string") return { standing: moved, refs, words, settled: true };
  words.push(`${shortName(ref)} was not moved to the agent's commits: ${moved}`);
  words.push(...(await keep(checkout, changed.filter(isTheirs), goesOn ? takenBy : () => "git reset --keep")));
  return { ...seen, refs, words, settled: false };
}

/** What the agent takes back of its own is its own business; what the person had is never lost from their branch. */
async function contains({ person, base }: Checkout, commit: string): Promise<boolean> {
  if (base === "") return true;
  return (await gitOf(person)(["merge-base", "--is-ancestor", base, commit], { answers: [1] })).code === 0;
}

const LEAVES_OUT = "they leave out commits that you had when the run began";

/** A checked-out branch is among the refs already. */
const detached = ({ head }: Outcome): [string, string][] => (head.startsWith("refs/") ? [] : [["HEAD", head]]);

async function receive(
  { person, partial }: Checkout,
  bytes: Buffer,
  { packAt }: Outcome,
  changed: readonly (readonly [string, string])[],
): Promise<void> {
  const git = gitOf(person);
  const limits = { timeoutMs: TIMEOUT_MS, writes: true };
  if (packAt !== undefined) {
    // What a pack of a partial clone refers to need not be here.
    const check = partial ? "--fsck-objects" : "--strict";
    const args = ["index-pack", "--stdin", "--fix-thin", check, `--max-input-size=${MAX_OUTCOME_BYTES}`];
    await git(args, { ...limits, input: bytes.subarray(packAt) });
  }
  const input = changed.map(([, id]) => `${id}\n`).join("");
  const promised = partial ? ["--exclude-promisor-objects"] : [];
  await git(["rev-list", "--objects", "--quiet", ...promised, "--stdin", "--not", "--all"], { ...limits, input });
}

/** Says where they are and how to take them. */
async function keep(
  { person, run }: Checkout,
  refs: readonly (readonly [string, string])[],
  taken = takenBy,
): Promise<string[]> {
  const named = refs.map(([ref, id]) => ({ ref, id, as: keptAs(run, ref) }));
  const input = named.flatMap(({ id, as }) => (as === undefined ? [] : [`update ${as} ${id}\n`])).join("");
  if (input !== "")
    await gitOf(person)(["update-ref", "--no-deref", "--stdin"], { input, writes: true, settings: NO_REFLOG });
  return named.map(({ ref, as }) =>
    as === undefined
      ? `${shorten(ref)}: not a name that is taken over; the agent should choose a plain one`
      : `the agent's ${shortName(ref)} is ${as}; take it with: ${taken(ref)} ${as}`,
  );
}

const takenBy = (ref: string) =>
  ref === "refs/stash"
    ? "git stash apply"
    : ref.startsWith("refs/tags/")
      ? `git tag ${shortName(ref).slice(5)}`
      : "git merge";
const NO_REFLOG = [["core.logAllRefUpdates", "false"]] as const;
const shortName = (ref: string) => ref.replace(/^refs\/(heads\/)?/, "");
const refused = (why: string) => new AppError("workspace.invalid", why);
