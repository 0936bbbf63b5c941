import { basename, dirname, resolve } from "node:path";
import { line, plumbing } from "../../git/git.ts";
import { hasDotGit } from "../../git/repository.ts";
import { findGit, type PersonsGit } from "./persons-git.ts";
import { programsHere } from "./programs-here.ts";
import { settingsIn } from "./settings.ts";

const MOST = 50;
const TIMEOUT_MS = 20_000;

/**
 * Hooks and settings among the files of a workspace that the git of another repository would run or read: of the one that the
 * workspace is a part of, and of those in it (`gits`), each of which costs a process.
 */
export async function othersPrograms(
  workspace: string,
  { around, gits }: { around: boolean; gits: readonly string[] },
): Promise<{ programs: string[]; cutShort: boolean }> {
  const programs = around ? await ofEnclosing(workspace) : [];
  for (const git of gits.slice(0, MOST)) programs.push(...(await ofNested(workspace, git)));
  return { programs: [...new Set(programs)], cutShort: gits.length > MOST };
}

async function ofEnclosing(workspace: string): Promise<string[]> {
  if (!hasDotGit(workspace)) return [];
  const places = ["--show-toplevel", "--git-dir", "--git-common-dir"];
  const answer = await plumbing(workspace, ["rev-parse", "--path-format=absolute", ...places], { answers: [128] });
  const [root = "", gitDir = "", commonDir = ""] = line(answer).split("\n");
  return answer.code === 0 ? ask({ gitDir, commonDir }, { workspace, root }, workspace) : [];
}

async function ofNested(workspace: string, git: string): Promise<string[]> {
  const isCheckout = basename(git) === ".git";
  const found = isCheckout ? findGit(dirname(git)) : undefined;
  const person = found !== undefined && "git" in found ? found.git : { gitDir: git, commonDir: git };
  return ask(person, { workspace, root: isCheckout ? dirname(git) : git }, dirname(git), { GIT_DIR: git });
}

/** What git itself can't read (128) it runs nothing from. */
async function ask(
  person: PersonsGit,
  places: { workspace: string; root: string },
  cwd: string,
  env: Record<string, string> = {},
): Promise<string[]> {
  const args = ["config", "--list", "--show-origin", "-z"];
  const listing = await plumbing(cwd, args, { env, answers: [128], timeoutMs: TIMEOUT_MS });
  if (listing.code !== 0) return [];
  const { entries, origins } = settingsIn(listing.stdout);
  const files = origins.map((file) => resolve(cwd, file));
  return programsHere(person, places, entries, files);
}
