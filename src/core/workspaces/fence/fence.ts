import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { isWithin } from "../../../lib/files/within.ts";
import { holdMountPoints, releaseMountPoints } from "../../../lib/process/holders/mount-points.ts";
import { revealed } from "../../../lib/text/printable.ts";
import { refsOf } from "../checkpoints/checkpoint.ts";
import { names, plumbing } from "../git/git.ts";
import { hasDotGit } from "../git/repository.ts";
import { type Base, gitlinksIn, gitOf, makeAgentGit, makeEmptyGit, type Shown } from "./agent-git.ts";
import { requireOutOfReach } from "./beside.ts";
import { indexDigest } from "./move-branch.ts";
import { isLink, nestedGits } from "./persons/nested.ts";
import { othersPrograms } from "./persons/others-programs.ts";
import { factsOf, findGit, type PersonsGit } from "./persons/persons-git.ts";
import { pinsOf } from "./persons/pins.ts";
import {
  type Belief,
  believe,
  type FenceRecord,
  fenceFolder,
  isSame,
  isUntouched,
  type Place,
  placeOf,
  recordFile,
  recordOf,
} from "./persons/record.ts";
import { refsPrint } from "./persons/refs-print.ts";
import { submoduleGits } from "./submodules.ts";
import { type Seen, takeOut } from "./take-out.ts";

export interface FenceWishes {
  /** COX_HOME. */
  home: string;
  workspace: string;
  /** The repository that a worktree of ours was made from. */
  commonDir?: string;
  /** Everything of this machine that the agent gets to see, and what of it it may write to. */
  sources: readonly string[];
  writable: readonly string[];
  /** Where the agent finds its git, and the person's objects. */
  inside: { git: string; modules: string; objects: string };
}

export interface FenceNotice {
  code: string;
  text: string;
}

/**
 * Between an isolated agent and the person's git: the agent has a git directory of its own in place of theirs, where it may do
 * what it likes, and what it commits there comes out as objects that were checked. One per run.
 */
export class Fence {
  readonly #wishes: FenceWishes;
  readonly #folder: string;
  readonly #runDirectory: string;
  readonly #run: string;
  #shown: Promise<Shown[]> | undefined;
  #notices: FenceNotice[] = [];
  #told = new Set<string>();
  #person: PersonsGit | undefined;
  #base: Base | undefined;
  #seen: Seen | undefined;
  #settled = true;
  /** The agent's refs as they were taken out, and as they were when somebody looked last. */
  #print: string | undefined;
  #looked: string | undefined;
  #nested: Place[] = [];

  constructor(wishes: FenceWishes, runDirectory: string) {
    this.#wishes = wishes;
    this.#runDirectory = runDirectory;
    this.#folder = join(runDirectory, "git");
    this.#run = basename(runDirectory);
  }

  /** The mounts, in the workspace and elsewhere; a second process of the run gets the same git as the first. */
  shown(): Promise<Shown[]> {
    this.#shown ??= this.#open();
    return this.#shown;
  }

  /** What a person should know, each once. */
  notices(): FenceNotice[] {
    const fresh = this.#notices.filter(({ text }) => !this.#told.has(text));
    for (const { text } of fresh) this.#told.add(text);
    this.#notices = [];
    return fresh;
  }

  /** Whether there may be commits to take out: looks at the agent's refs from outside, or there is something left to do. */
  hasNews(): boolean {
    if (this.#person === undefined) return false;
    this.#looked = refsPrint(this.#repository);
    return !this.#settled || this.#looked === undefined || this.#looked !== this.#print;
  }

  /** What the agent's git need not tell, because it is here. */
  known(): string {
    const ids = [...(this.#base?.refs.values() ?? []), ...(this.#seen?.refs.values() ?? [])];
    return [...new Set(ids)].map((id) => `^${id}\n`).join("");
  }

  async take(outcome: Buffer): Promise<void> {
    if (this.#person === undefined || this.#seen === undefined || this.#base === undefined) return;
    const { workspace } = this.#wishes;
    const { partial, commit: base } = this.#base;
    const checkout = { person: this.#person, workspace, run: this.#run, partial, base };
    const { standing, refs, words, settled } = await takeOut(checkout, this.#seen, outcome);
    this.#seen = { standing, refs };
    this.#settled = settled;
    this.#print = this.#looked;
    this.#notices.push(...words.map((text) => ({ code: "git_commits_kept", text })));
  }

  /** When nobody of the run is left. */
  async close(): Promise<void> {
    if (this.#shown === undefined) return;
    const fresh = this.#look().filter((found) => !this.#nested.some((known) => isSame(known, found)));
    const places = fresh.slice(0, 5).map(({ path }) => revealed(path));
    if (places.length > 0) {
      const text = `a repository appeared in the workspace: ${places.join(", ")}; its settings and hooks may be the agent's, so look at them before you use git there`;
      this.#notices.push({ code: "git_nested", text });
    }
    await releaseMountPoints(this.#runDirectory);
    // What is still to be taken out builds on it.
    if (this.#person !== undefined && !this.hasNews()) {
      await gitOf(this.#person)(["update-ref", "--no-deref", "-d", this.#baseRef], { writes: true });
    }
  }

  async #open(): Promise<Shown[]> {
    const { home, workspace, sources, writable } = this.#wishes;
    const ledger = fenceFolder(home, workspace);
    let shown: Shown[] = [];
    await holdMountPoints(ledger, this.#runDirectory, async (living) => {
      requireOutOfReach(sources, living);
      const beside = living.find((other) => other.ledger === ledger);
      const found = findGit(workspace, this.#wishes.commonDir);
      // Whoever is at work here could swap what a search finds, so it is what that one began with.
      this.#nested = beside === undefined ? this.#look() : [...beside.nested];
      const record = recordOf(home, workspace, (others) => firstRecord(this.#wishes, found, this.#nested, others));
      const mounts = await this.#mountsFor(believe(found, record));
      const { missing, pins } = beside === undefined ? await this.#search(record) : { missing: [], pins: beside.pins };
      const held = pins.map(({ target }) => target);
      const theirs = mounts.map(({ source }) => source).filter((path) => !isWithin(path, this.#folder));
      requireOutOfReach([...held, ...theirs], living);
      const own = mounts.filter(({ target }) => !isWithin(target, workspace) || held.includes(target));
      shown = [...pins.filter(({ target }) => !own.some((mount) => mount.target === target)), ...own];
      return { hold: { writable, pins, nested: this.#nested }, make: missing };
    });
    return shown;
  }

  /** The agent's own git, and those of submodules. */
  async #mountsFor({ git, doubt }: Belief): Promise<Shown[]> {
    const { workspace, inside } = this.#wishes;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const objects = git === undefined ? [] : await this.#makeFrom(git);
    if (doubt !== undefined) this.#doubt(doubt);
    return [...objects, ...(await this.#submodules()), ...this.#inPlaceOf(join(workspace, ".git"), inside.git)];
  }

  /** What is to stay as it is: only where no isolated agent is at work. */
  async #search(record: FenceRecord): Promise<{ missing: string[]; pins: Shown[] }> {
    const { workspace } = this.#wishes;
    const dotGit = join(workspace, ".git");
    const gitlinks = this.#base?.gitlinks ?? (await enclosingGitlinks(workspace));
    // What the person had at first, however many folders there are by now, and whatever else is there: who made it nobody knows.
    const known = [...record.nested.filter(({ path }) => factsOf(path) !== undefined), ...this.#nested];
    const nested = [...new Set(known.filter((place) => !isLink(place)).map(({ path }) => path))];
    // Git looks for a `.git` first.
    if (nested.includes(workspace) && factsOf(dotGit) === undefined) throw isGitItself(workspace);
    const others = nested.filter((path) => path !== workspace);
    const checkedOut = gitlinks.map((path) => join(workspace, path, ".git")).filter((path) => factsOf(path)?.isFile());
    const gits = [...new Set([...checkedOut, ...others])];
    const { programs, cutShort } = await othersPrograms(workspace, { around: this.#base === undefined, gits });
    if (cutShort) {
      const text = `${workspace} has ${gits.length} repositories in it, too many to ask each: hooks and included settings of some, where they lie among the files, are open to the agent; name a smaller folder with --cwd if there is one`;
      this.#notices.push({ code: "git_nested", text });
    }
    const closed = [...(this.#base?.programs ?? []), ...programs];
    const { missing, shown } = pinsOf(workspace, { gitlinks, nested: others, closed });
    return { missing: [dotGit, ...missing], pins: [{ source: dotGit, target: dotGit, write: false }, ...shown] };
  }

  /** Over a folder, also one still to be made, goes a folder. Over a file (of a worktree) goes one that says where ours is. */
  #inPlaceOf(dotGit: string, target: string): Shown[] {
    if (!existsSync(this.#repository)) mkdirSync(this.#repository, { mode: 0o700 });
    if (factsOf(dotGit)?.isDirectory() ?? true) return [{ source: this.#repository, target: dotGit, write: true }];
    const pointer = join(this.#folder, "pointer");
    writeFileSync(pointer, `gitdir: ${target}\n`);
    return [
      { source: this.#repository, target, write: true },
      { source: pointer, target: dotGit, write: false },
    ];
  }

  async #submodules(): Promise<Shown[]> {
    const { workspace, inside } = this.#wishes;
    if (this.#person === undefined || this.#base === undefined) return [];
    const outer = { workspace, person: this.#person, gitlinks: this.#base.gitlinks };
    const places = { folder: join(this.#folder, "modules"), git: inside.modules, objects: inside.objects };
    return submoduleGits(outer, places);
  }

  async #makeFrom(person: PersonsGit): Promise<Shown[]> {
    const { base, objects } = await makeAgentGit(person, this.#wishes.workspace, {
      folder: this.#repository,
      objectsInside: this.#wishes.inside.objects,
    });
    const { commit } = base;
    // Their objects stay as long as the agent builds on them, whatever the person deletes meanwhile.
    if (commit !== "") await gitOf(person)(["update-ref", "--no-deref", this.#baseRef, commit], { writes: true });
    this.#person = person;
    this.#base = base;
    const refs = new Map([...base.refs, ...(base.head.ref === undefined ? [["HEAD", commit] as const] : [])]);
    this.#seen = { standing: { ref: base.head.ref ?? "HEAD", commit, index: indexDigest(person) }, refs };
    this.#print = refsPrint(this.#repository);
    return objects;
  }

  #look(): Place[] {
    const { gits, cutShort } = nestedGits(this.#wishes.workspace);
    if (cutShort) {
      const text = `${this.#wishes.workspace} has more folders than are looked through: a repository deep inside may be open to the agent, or one may have appeared that is not told of; name a smaller folder with --cwd if there is one`;
      this.#notices.push({ code: "git_nested", text });
    }
    return gits;
  }

  #doubt(why: string): void {
    const { home, workspace } = this.#wishes;
    makeEmptyGit(this.#repository);
    const text = `${join(workspace, ".git")} ${why}: the agent has an empty repository of its own instead, and its commits stay there; if you made it, remove ${recordFile(home, workspace)} and start again`;
    this.#notices.push({ code: "git_not_believed", text });
  }

  get #repository(): string {
    return join(this.#folder, "repository");
  }

  get #baseRef(): string {
    return `${refsOf(this.#run)}/base`;
  }
}

/** A workspace that is a part of a repository has that one's submodules in it. */
async function enclosingGitlinks(workspace: string): Promise<string[]> {
  if (!hasDotGit(workspace)) return [];
  return gitlinksIn(names(await plumbing(workspace, ["ls-files", "--stage", "-z"], { answers: [128] })));
}

function isGitItself(workspace: string): AppError {
  const message = `workspace ${workspace}: is a git directory itself (it has HEAD, objects and refs), whose settings an isolated agent could write; name a checkout with --cwd, or use --on local`;
  return new AppError("workspace.invalid", message, { workspace });
}

/** What a person has who has had no isolated agent here yet. */
function firstRecord(
  { workspace, commonDir }: FenceWishes,
  found: ReturnType<typeof findGit>,
  nested: Place[],
  others: FenceRecord[],
): FenceRecord {
  const dotGit = placeOf(join(workspace, ".git"));
  const theirs = "git" in found && (commonDir !== undefined || isUntouched(found.git, dotGit, others));
  const git = theirs ? { gitDir: placeOf(found.git.gitDir), commonDir: placeOf(found.git.commonDir) } : null;
  return { version: 1, workspace, git, nested };
}
