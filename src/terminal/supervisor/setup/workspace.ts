import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { git, line, plumbing } from "../../../core/workspaces/git/git.ts";
import type { Step } from "../step.ts";

/**
 * A repository on its main branch. What an earlier life left on another branch is stashed, never destroyed, and our own files
 * in the workspace are kept out of git's sight, so that neither a stash nor a clean takes them away.
 */
export const workspace: Step = {
  name: "workspace",
  async run({ settings }) {
    const { workspace: folder, home, keepBranch, state } = settings;
    mkdirSync(folder, { recursive: true });
    const isRepository = existsSync(join(folder, ".git"));
    if (keepBranch) {
      if (isRepository && state.startsWith(`${folder}/`)) await hideOurs(folder, home);
      return { note: "a person's: left as it is" };
    }
    if (!isRepository) {
      await plumbing(folder, ["init", "-q"], { env: { HOME: home }, writes: true });
      await hideOurs(folder, home);
      return { note: "new repository" };
    }
    await hideOurs(folder, home);
    return { note: await leaveStaleBranch(folder, home) };
  },
};

const OURS = ["/.state/", "/.beads/config.yaml"];

async function hideOurs(folder: string, home: string): Promise<void> {
  const path = await plumbing(folder, ["rev-parse", "--path-format=absolute", "--git-path", "info/exclude"], {
    env: { HOME: home },
  });
  const file = line(path);
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const missing = OURS.filter((pattern) => !text.split("\n").includes(pattern));
  if (missing.length === 0) return;
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${missing.join("\n")}\n`);
}

async function leaveStaleBranch(folder: string, home: string): Promise<string> {
  const env = { HOME: home };
  const ask = (...args: string[]) => plumbing(folder, args, { env, answers: [1, 128] });
  const branch = line(await ask("branch", "--show-current"));
  if (branch === "" || branch === "main" || branch === "master") return branch === "" ? "no branch" : `on ${branch}`;
  if (line(await ask("ls-files", "--", ".state")) !== "") return `left on ${branch}: .state is tracked there`;
  const has = async (ref: string) => (await ask("rev-parse", "-q", "--verify", ref)).code === 0;
  const begun = await has("HEAD");
  const change = (...args: string[]) => git(folder, args, { env: { ...env, ...AUTHOR }, writes: true });
  const dirty = line(await git(folder, ["status", "--porcelain"], { env })) !== "";
  if (dirty && begun) await change("stash", "push", "-u", "-q", "-m", `cox: left on ${branch}`);
  await change(...(await switchTo(has, begun)));
  return `from ${branch}${dirty ? ", changes stashed" : ""}`;
}

async function switchTo(has: (ref: string) => Promise<boolean>, begun: boolean): Promise<string[]> {
  if (await has("refs/heads/main")) return ["switch", "-q", "main"];
  if (await has("refs/heads/master")) return ["switch", "-q", "master"];
  if (await has("refs/remotes/origin/main")) return ["switch", "-q", "-c", "main", "--track", "origin/main"];
  return begun ? ["switch", "-q", "-c", "main"] : ["symbolic-ref", "HEAD", "refs/heads/main"];
}

/** A stash is a commit, and there may be no identity yet. */
const AUTHOR = {
  GIT_AUTHOR_NAME: "cox",
  GIT_AUTHOR_EMAIL: "cox@localhost",
  GIT_COMMITTER_NAME: "cox",
  GIT_COMMITTER_EMAIL: "cox@localhost",
};
