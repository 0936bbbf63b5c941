import { listOf, objectOf, textOf } from "../../core/protocols/read.ts";
import { at, line } from "../../core/workspaces/git/git.ts";
import { runCommand } from "../../lib/process/command.ts";
import { findExecutable } from "../../lib/process/path/executable.ts";
import { textual } from "./environment.ts";
import type { RepositoryFacts } from "./output-lines.ts";

export interface FactsContext {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Told what could not be found out, and why. */
  warn(text: string): void;
}

/** Asking a forge must not keep a finished pod. */
const TIMEOUT_MS = 30_000;

/** Whatever can't be found out is left out: the work is done, and its end must be reported. */
export async function repositoryFacts(context: FactsContext): Promise<RepositoryFacts> {
  const { cwd, env } = context;
  const ask = async (...args: string[]): Promise<string | undefined> => {
    try {
      const answer = await at(cwd)(args, { answers: [1, 128], timeoutMs: TIMEOUT_MS });
      return answer.code === 0 ? line(answer) || undefined : undefined;
    } catch (error) {
      context.warn(`git ${args[0]}: ${String(error)}`);
      return undefined;
    }
  };
  const baseBranch = env.KELOS_BASE_BRANCH || undefined;
  if ((await ask("rev-parse", "--is-inside-work-tree")) !== "true") return { pullRequests: [], baseBranch };
  const branch = await ask("symbolic-ref", "--quiet", "--short", "HEAD"); // none when the head is detached
  return {
    branch,
    pullRequests: branch === undefined ? [] : await pullRequests(branch, context),
    commit: await ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}"),
    baseBranch:
      baseBranch ?? (await ask("symbolic-ref", "--short", "refs/remotes/origin/HEAD"))?.replace(/^origin\//, ""),
  };
}

/** Open ones of this branch, here and in the repository it was forked from. */
async function pullRequests(branch: string, context: FactsContext): Promise<string[]> {
  const { cwd, env, warn } = context;
  const list = async (...where: string[]): Promise<string[]> => {
    const args = ["pr", "list", `--head=${branch}`, "--json", "url", ...where];
    const answer = await runCommand(gh, args, { cwd, env: textual(env), timeoutMs: TIMEOUT_MS });
    if (answer.code !== 0) warn(`gh pr list: exited with ${answer.code}: ${answer.stderr.split("\n").at(-1)}`);
    return answer.code === 0 ? urlsIn(answer.stdout.toString("utf8")) : [];
  };
  let gh: string;
  try {
    gh = findExecutable("gh", { path: env.PATH, cwd: "/" });
  } catch {
    return []; // an image without it has other ways to open a pull request, or none
  }
  const upstream = env.KELOS_UPSTREAM_REPO || undefined;
  const found: string[] = [];
  for (const where of upstream === undefined ? [[]] : [[], [`--repo=${upstream}`]]) {
    try {
      found.push(...(await list(...where)));
    } catch (error) {
      warn(`gh pr list: ${String(error)}`);
    }
  }
  return [...new Set(found)];
}

function urlsIn(json: string): string[] {
  try {
    return listOf(JSON.parse(json)).flatMap((entry) => textOf(objectOf(entry).url) ?? []);
  } catch {
    return [];
  }
}
