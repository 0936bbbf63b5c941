import { isAbsolute } from "node:path";
import type { Checked } from "../../../contract/api/index.ts";
import { AppError } from "../../../contract/errors.ts";
import { nothingSpent } from "../../../contract/runs/budget.ts";
import type { RunRequest } from "../../../contract/runs/request.ts";
import { inMs } from "../../../contract/seconds.ts";

/** What a page or a program asked for over HTTP, as a request like any other. */
export function newRunRequest(wishes: Checked<"POST /runs">["body"], by: string): RunRequest {
  const { agent, profile, model, project, task, workspace, on, network, worktree, prompt, title, env, mcp_servers } =
    wishes;
  if (!isAbsolute(workspace)) {
    throw new AppError("workspace.invalid", `workspace ${workspace}: must be an absolute path`);
  }
  const limits = { maxCostUsd: wishes.max_cost_usd, maxTokens: wishes.max_tokens, maxTurns: wishes.max_turns };
  const isLimited = Object.values(limits).some((limit) => limit !== undefined);
  return {
    who: { ...(profile === undefined ? { agent } : { profile }), model },
    what: { prompt, title, mode: wishes.mode, review: wishes.review, mcpServers: mcp_servers },
    where: { project, task, workspace, on, network, worktree: worktree ? {} : undefined, env },
    limits: {
      permissions: wishes.permissions,
      timeoutMs: inMs(wishes.timeout_s),
      idleTimeoutMs: inMs(wishes.idle_timeout_s),
      budget: isLimited ? { of: "this run", limits, spent: nothingSpent } : undefined,
    },
    lineage: { by },
  };
}
