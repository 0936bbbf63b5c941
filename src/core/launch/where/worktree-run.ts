import { AppError } from "../../../contract/errors.ts";
import type { DecidedRequest } from "../../../contract/runs/request.ts";
import type { Config } from "../../config/config-keys.ts";
import { createWorktree, type Worktree } from "../../workspaces/worktrees/worktree.ts";

/** The task's own checkout, made or found; what a person should know of it goes to stderr. */
export async function worktreeFor(
  home: string,
  where: DecidedRequest["where"],
  base: string | undefined,
  config: Config,
): Promise<Worktree> {
  const worktree = await createWorktree({
    repository: where.workspace,
    home,
    project: where.project,
    task: where.task,
    base,
    branchPrefix: config["worktree.branch_prefix"],
    copy: config["worktree.copy"]?.split(",").map((pattern) => pattern.trim()),
    setup: config["worktree.setup"],
    onOutput: (chunk) => process.stderr.write(chunk),
  });
  for (const notice of worktree.notices) process.stderr.write(`cox: ${notice}\n`);
  if (worktree.setup !== undefined && worktree.setup.code !== 0) {
    const message = `worktree ${worktree.record.path}: its set-up script exited with code ${worktree.setup.code}; mend worktree.setup and start again`;
    throw new AppError("workspace.invalid", message);
  }
  return worktree;
}
