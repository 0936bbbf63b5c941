import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { type Git, names, plumbing } from "../git/git.ts";
import { copyIndex } from "../git/index-copy.ts";
import { objectFolders } from "./objects.ts";
import { type HeadNow, type PersonsGit, readHead } from "./persons/persons-git.ts";
import { programsHere } from "./persons/programs-here.ts";
import { agentSettings, settingsIn } from "./persons/settings.ts";

/** What an isolated agent sees of this machine at some place. */
export interface Shown {
  source: string;
  target: string;
  write: boolean;
}

/** The history that an agent began with. */
export interface Base {
  head: HeadNow;
  /** What was checked out; "" before the first commit. */
  commit: string;
  /** Branches, tags and remotes' branches. */
  refs: ReadonlyMap<string, string>;
  /** Paths of other repositories' commits in the index. */
  gitlinks: string[];
  /** Some of it is fetched when it is needed. */
  partial: boolean;
  /** Hooks and settings of the person's that lie among the files of the workspace. */
  programs: string[];
}

/** Git on a repository as such, whatever lies in the folder we are in. */
export const gitOf =
  ({ gitDir }: PersonsGit): Git =>
  (args, options = {}) =>
    plumbing(gitDir, args, { ...options, env: { ...options.env, GIT_DIR: gitDir } });

/**
 * A git directory of the agent's own, in which it may do anything: the person's history as it is at this moment, their objects
 * to be read where they lie (`objectsInside`), and settings that we write. Nothing in it is ever read by a git outside.
 */
export async function makeAgentGit(
  person: PersonsGit,
  workspace: string,
  { folder, objectsInside }: { folder: string; objectsInside: string },
): Promise<{ base: Base; objects: Shown[] }> {
  if (existsSync(join(person.commonDir, "reftable"))) throw unknownRefs(person);
  const git = gitOf(person);
  const format = "--format=%(objectname) %(refname) %(symref)";
  const [settings, listed, staged] = await Promise.all([
    git(["config", "--list", "--show-origin", "-z"]),
    git(["for-each-ref", format, "refs/heads", "refs/tags", "refs/remotes"]),
    git(["ls-files", "--stage", "-z"]),
  ]);
  const refs = new Map<string, string>();
  const { entries, origins } = settingsIn(settings.stdout);
  makeEmptyGit(folder, agentSettings(entries));
  for (const line of listed.stdout.toString("utf8").split("\n").filter(Boolean)) {
    const [id = "", ref = "", leadsTo = ""] = line.split(" ");
    if (leadsTo === "") refs.set(ref, id);
    else writeLoose(folder, ref, `ref: ${leadsTo}\n`);
  }
  const head = readHead(person);
  writeFileSync(join(folder, "HEAD"), head.ref === undefined ? `${head.commit}\n` : `ref: ${head.ref}\n`);
  writeFileSync(join(folder, "packed-refs"), packed(refs));
  copyState(person, folder);
  const objects = showObjects(objectFolders(person.commonDir), folder, objectsInside);
  const partial = entries.some(([key]) => key === "extensions.partialclone");
  const files = origins.map((file) => resolve(person.gitDir, file));
  const programs = programsHere(person, { workspace }, entries, files);
  const commit = head.ref === undefined ? (head.commit ?? "") : (refs.get(head.ref) ?? "");
  return { base: { head, commit, refs, gitlinks: gitlinksIn(names(staged)), partial, programs }, objects };
}

/** What git wants to see before it takes a folder for a repository. */
export function makeEmptyGit(folder: string, settings = agentSettings([])): void {
  for (const name of ["refs/heads", "objects/info", "objects/pack", "info"]) {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  }
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(folder, "config"), settings);
}

function writeLoose(folder: string, ref: string, text: string): void {
  const file = join(folder, ref);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text);
}

function packed(refs: ReadonlyMap<string, string>): string {
  const lines = [...refs].map(([ref, id]) => `${id} ${ref}\n`);
  return `# pack-refs with: sorted \n${lines.join("")}`;
}

function copyState({ gitDir, commonDir }: PersonsGit, folder: string): void {
  if (existsSync(join(gitDir, "index"))) copyIndex(join(gitDir, "index"), join(folder, "index"));
  const shared = readdirSync(gitDir).filter((name) => name.startsWith("sharedindex."));
  const files = [
    ...shared.map((name) => [gitDir, name] as const),
    [gitDir, "info/sparse-checkout"] as const,
    ...["shallow", "info/exclude", "info/attributes"].map((name) => [commonDir, name] as const),
  ];
  for (const [from, name] of files)
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(folder, name));
}

/** Each at a place of ours, none of which leads on: what they borrow from is in the agent's own list. */
function showObjects(folders: readonly string[], folder: string, objectsInside: string): Shown[] {
  const nothing = join(dirname(folder), "no-alternates");
  writeFileSync(nothing, "");
  const places = folders.map((source, n): Shown => ({ source, target: `${objectsInside}/${n}`, write: false }));
  writeFileSync(join(folder, "objects/info/alternates"), places.map(({ target }) => `${target}\n`).join(""));
  return places.flatMap((place) => {
    const alternates = "info/alternates";
    if (!existsSync(join(place.source, alternates))) return [place];
    return [place, { source: nothing, target: `${place.target}/${alternates}`, write: false }];
  });
}

/** Of the lines of `git ls-files --stage`. */
export function gitlinksIn(staged: readonly string[]): string[] {
  const entries = staged
    .filter((entry) => entry.startsWith("160000 "))
    .map((entry) => entry.slice(entry.indexOf("\t") + 1));
  return [...new Set(entries)].map((path) => Buffer.from(path, "latin1").toString("utf8"));
}

function unknownRefs({ commonDir }: PersonsGit): AppError {
  const message = `repository ${commonDir}: keeps its refs as a reftable, which an isolated agent can't be given yet; use --on local, or: git refs migrate --ref-format=files`;
  return new AppError("workspace.invalid", message, { commonDir });
}
