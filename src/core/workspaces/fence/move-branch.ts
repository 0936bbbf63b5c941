import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createHash } from "../../../lib/base/crypto.ts";
import { errnoOf } from "../../../lib/files/disk-error.ts";
import { revealed } from "../../../lib/text/printable.ts";
import { plumbing } from "../git/git.ts";
import { copyIndex } from "../git/index-copy.ts";
import { gitOf } from "./agent-git.ts";
import { type PersonsGit, readHead } from "./persons/persons-git.ts";

/** Where a person's checkout is: what we saw at the start, or left there last. */
export interface Standing {
  /** A branch's full name, or "HEAD" where none is checked out. */
  ref: string;
  /** "" before the first commit. */
  commit: string;
  /** Of the index, as it is. */
  index: string;
}

export const indexDigest = ({ gitDir }: PersonsGit): string => {
  const file = join(gitDir, "index");
  return existsSync(file) ? createHash("sha256").update(readFileSync(file)).digest("hex") : "";
};

/**
 * Moves the person's branch and index to a commit of the agent's, if both are still where they were; files are not touched, the
 * agent has done that. What the person had staged besides stays staged. Returns where it is now, or in words why it wasn't moved.
 */
export async function moveBranch(
  person: PersonsGit,
  workspace: string,
  was: Standing,
  to: { commit: string; run: string },
): Promise<Standing | string> {
  const links = await newGitlinks(person, was.commit, to.commit);
  if (links.length > 0)
    return `it adds or changes other repositories in this one (${links
      .slice(0, 3)
      .map((path) => revealed(path))
      .join(", ")})`;
  const busy = UNDER_WAY.find((name) => existsSync(join(person.gitDir, name)));
  if (busy !== undefined) return `something of yours is under way there (${busy})`;
  const lock = join(person.gitDir, "index.lock");
  if (!take(lock)) return "its index is in use";
  const next = join(person.gitDir, `index.cox-${process.pid}`);
  try {
    if ((readHead(person).ref ?? "HEAD") !== was.ref) return "another branch is checked out now";
    if (indexDigest(person) !== was.index) return "something else was staged meanwhile";
    if (existsSync(join(person.gitDir, "index"))) copyIndex(join(person.gitDir, "index"), next);
    const env = { GIT_DIR: person.gitDir, GIT_WORK_TREE: workspace, GIT_INDEX_FILE: next };
    const trees = [was.commit === "" ? emptyTree(to.commit) : was.commit, to.commit];
    const merged = await plumbing(workspace, ["read-tree", "-i", "-m", ...trees], {
      env,
      writes: true,
      answers: [128],
    });
    if (merged.code !== 0) return `what you have staged is in the way (${firstLine(merged.stderr)})`;
    const old = was.commit === "" ? "0".repeat(to.commit.length) : was.commit;
    const input = `update ${was.ref} ${to.commit} ${old}\n`;
    const args = ["update-ref", "--create-reflog", "-m", `cox: commits of run ${to.run}`, "--no-deref", "--stdin"];
    const moved = await gitOf(person)(args, { input, writes: true, answers: [128] });
    if (moved.code !== 0) return `it is not where it was (${firstLine(moved.stderr)})`;
    renameSync(next, join(person.gitDir, "index"));
    return { ref: was.ref, commit: to.commit, index: indexDigest(person) };
  } finally {
    for (const file of [next, `${next}.lock`, lock]) rmSync(file, { force: true });
  }
}

const firstLine = (text: string) => text.trim().split("\n")[0];

const UNDER_WAY = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply"];

/** As git takes it: nobody stages anything while we look and write. */
function take(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o600));
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** A repository of the agent's own at such a path would be looked into by the person's next `git status`, settings and all. */
async function newGitlinks(person: PersonsGit, from: string, to: string): Promise<string[]> {
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--ignore-submodules=none", from || emptyTree(to), to];
  const fields = (await gitOf(person)(args)).stdout.toString("utf8").split("\0");
  return fields.flatMap((field, at) => (/^:\d{6} 160000 /.test(field) ? [fields[at + 1] ?? ""] : []));
}

/** Git knows it without having it. */
const emptyTree = ({ length }: string): string =>
  length === 40
    ? "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    : "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";
