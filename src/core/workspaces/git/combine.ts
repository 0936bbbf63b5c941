import { AppError, messageOf } from "../../../contract/errors.ts";
import { git, line, names, plumbing, shown } from "./git.ts";

interface Combination {
  root: string;
  /** Checked out in `root`. */
  branch: string;
  into: string;
  how: "rebase" | "merge" | "ff";
  env: Readonly<Record<string, string>>;
  keep: boolean;
}

/** Makes the checked-out branch a descendant of another, and returns its tip. Conflicts are thrown, with their paths. */
export async function combine(combination: Combination): Promise<string> {
  const { root, branch, into, how, env } = combination;
  const onto = `refs/heads/${into}`;
  if (how === "rebase") await attempt(combination, ["rebase", "--quiet", "--no-fork-point", onto]);
  if (how === "merge") {
    const own = await tipOf(root, "HEAD");
    await attempt(combination, ["merge", "--quiet", "--no-ff", "--no-edit", onto]);
    const message = `Merge branch '${branch}' into ${into}\n`;
    // Git's merge has the parents the other way round: the history of `into` is to go on from `into`.
    const parents = ["-p", await tipOf(root, onto), "-p", own];
    const made = await plumbing(root, ["commit-tree", "HEAD^{tree}", ...parents], {
      input: message,
      env,
      writes: true,
    });
    await git(root, ["reset", "--quiet", "--soft", line(made)], { writes: true });
  }
  return tipOf(root, "HEAD");
}

async function attempt({ root, into, how, env, keep }: Combination, args: readonly string[]): Promise<void> {
  const [verb = ""] = args;
  try {
    await git(root, args, { env, writes: true, timeoutMs: 10 * 60_000 });
  } catch (error) {
    const conflicts = await conflictsIn(root);
    if (!keep || conflicts.length === 0) {
      // Nothing to abort when it was refused before it began.
      await git(root, [verb, "--abort"], { answers: [1, 128], writes: true });
    }
    if (conflicts.length === 0) throw error;
    const where = keep
      ? `they are left in ${root}`
      : "nothing was changed; --resolve lets the agent resolve them, --keep-conflicts leaves them to you";
    throw new AppError(
      "workspace.conflict",
      `merge into ${into}: conflicts in ${conflicts.join(", ")}; ${where}`,
      { conflicts, kept: keep, how, git: messageOf(error) },
      { cause: error },
    );
  }
}

async function conflictsIn(root: string): Promise<string[]> {
  const entries = names(await plumbing(root, ["ls-files", "-z", "--unmerged", "--full-name"]));
  return [...new Set(entries.map((entry) => shown(entry.slice(entry.indexOf("\t") + 1))))];
}

async function tipOf(root: string, name: string): Promise<string> {
  return line(await plumbing(root, ["rev-parse", "--verify", `${name}^{commit}`]));
}
