import { AppError } from "../../../contract/errors.ts";
import { runCommand } from "../../../lib/process/command.ts";
import { findExecutable } from "../../../lib/process/path/executable.ts";
import { git } from "../git/git.ts";
import { requireRepository } from "../git/repository.ts";

export interface PullRequest {
  title: string;
  body: string;
  draft: boolean;
  /** The branch it goes to; "" for the repository's own choice. */
  base: string;
}

const TIMEOUT_MS = 120_000;

/** GitHub's own program has the person's login; we have none. */
export function hasGh(env: NodeJS.ProcessEnv): boolean {
  return ghProgram(env) !== undefined;
}

/** Pushes the branch that is checked out and opens a pull request for it. Returns its address. */
export async function openPullRequest(cwd: string, wish: PullRequest, env: NodeJS.ProcessEnv): Promise<string> {
  const { root, head } = await requireRepository(cwd);
  const gh = ghProgram(env);
  if (gh === undefined)
    throw new AppError("workspace.invalid", "pull request: gh is not on PATH; install it, then `gh auth login`");
  if (head.branch === undefined)
    throw new AppError("workspace.invalid", `pull request: no branch is checked out in ${root}`);
  await git(root, ["push", "--set-upstream", "origin", `refs/heads/${head.branch}:refs/heads/${head.branch}`], {
    timeoutMs: TIMEOUT_MS,
    writes: true,
  });
  const args = ["pr", "create", `--title=${wish.title}`, "--body-file=-", `--head=${head.branch}`];
  if (wish.base !== "") args.push(`--base=${wish.base}`);
  if (wish.draft) args.push("--draft");
  const known = Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const result = await runCommand(gh, args, { cwd: root, env: known, input: wish.body, timeoutMs: TIMEOUT_MS });
  const url = /https?:\/\/\S+/.exec(result.stdout.toString("utf8"))?.[0];
  if (result.code === 0 && url !== undefined) return url;
  throw new AppError("workspace.invalid", `pull request: gh: ${result.stderr.trim() || `exited with ${result.code}`}`);
}

function ghProgram({ PATH: path }: NodeJS.ProcessEnv): string | undefined {
  try {
    return findExecutable("gh", { path, cwd: "/" });
  } catch {
    return undefined;
  }
}
