import { mkdirSync } from "node:fs";
import { isAbsolute } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { Content } from "../../contract/events.ts";
import { nothingSpent } from "../../contract/runs/budget.ts";
import { requireOwn } from "../../contract/runs/imported.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { startDetached } from "../../core/launch/detach.ts";
import type { RunRequest } from "../../core/launch/run-request.ts";
import { readProgress } from "../../core/store/bus/lifecycle.ts";
import { homeAt, homePath } from "../../core/store/home.ts";
import { findRun } from "../../core/store/runs/find-run.ts";
import { readRunInfo } from "../../core/store/runs/run-info.ts";
import { findWorktree } from "../../core/workspaces/worktrees/worktree-record.ts";
import { launcher } from "../../faces/cli/commands/task/launch.ts";
import { requestOf } from "../../faces/cli/run-options.ts";
import type { ResumeChoice } from "../../faces/server/runs/resumable.ts";
import type { Starting } from "../../faces/server/world.ts";
import type { Context } from "../../lib/command/command.ts";
import { leftBy } from "./left-by.ts";

type Options = Parameters<typeof requestOf>[0];

/** Runs as the server starts them: what `cox run -d` would, from what a page or a program asked for. */
export function starting(context: Context): Starting {
  const home = homePath(context.env);

  const start = async (request: RunRequest) => {
    const runId = await startDetached({ ...request, parentRunId: undefined }, context.env);
    return { runId, project: request.project, task: request.task };
  };

  /** A new run that goes on from an earlier one, with what that had. */
  const goOn = async (info: RunInfo, prompt: readonly Content[], by: string, options: Options): Promise<RunRequest> => {
    const wishes = { resume: info.run_id, interactive: true, detach: true, ...options };
    const { review } = readProgress(homeAt(home), info.project_id, info.task_id);
    return { ...(await requestOf(wishes, [textOf(prompt)], context)), prompt: [...prompt], review, by };
  };

  return {
    task: launcher(context),

    async run(wishes, by) {
      if (!isAbsolute(wishes.workspace)) {
        throw new AppError("workspace.invalid", `workspace ${wishes.workspace}: must be an absolute path`);
      }
      const options: Options = {
        agent: wishes.profile === undefined ? wishes.agent : undefined,
        profile: wishes.profile,
        model: wishes.model,
        project: wishes.project,
        task: wishes.task,
        cwd: wishes.workspace,
        on: wishes.on,
        network: wishes.network,
        worktree: wishes.worktree,
        permissions: wishes.permissions,
        interactive: wishes.mode !== "batch",
        detach: true,
      };
      const words = [wishes.title ?? textOf(wishes.prompt)];
      const request = await requestOf(options, words, context);
      return start({
        ...request,
        ...limitsOf(wishes, request),
        title: wishes.title,
        prompt: [...wishes.prompt],
        review: wishes.review ?? true,
        by,
      });
    },

    async resume(runId, prompt, by, { promptId, choice } = {}) {
      const info = requireInfo(home, runId);
      const left = leftBy(findRun(homeAt(home), runId).paths.events, info);
      const request = await chosen(info, choice, (options) => goOn(info, prompt, by, options));
      return start({ ...request, promptId, queued: left.queued, setOptions: left.setOptions });
    },

    async fork(runId, turn, prompt, by) {
      const info = requireInfo(home, runId);
      const left = leftBy(findRun(homeAt(home), runId).paths.events, info);
      const request = await goOn(info, prompt, by, anew(info));
      // Of a conversation that is under way, or of an earlier turn, the branch is told what was said.
      const isWhole = info.status !== "running" && (turn === undefined || turn === left.lastTurn);
      return start({
        ...request,
        setOptions: left.setOptions,
        forkOf: { run: runId, ...(turn === undefined ? {} : { turn }) },
        resume: { sessionId: info.session_id, ...(isWhole && left.canFork ? { fork: true } : { otherAgent: true }) },
      });
    },
  };

  function chosen(info: RunInfo, choice: string | undefined, go: (options: Options) => Promise<RunRequest>) {
    const record = findWorktree(home, info.project_id, info.task_id);
    switch (choice as ResumeChoice | undefined) {
      case undefined:
        return go({});
      case "no_profile":
        return go({ profile: info.agent }); // the profile that every agent has without a file
      case "worktree":
        return go({ cwd: record?.repository, worktree: true });
      case "repository":
        return go({ cwd: record?.repository });
      case "folder":
        mkdirSync(info.cwd, { recursive: true });
        return go({});
      case "anew":
        return go({
          resume: undefined,
          agent: info.agent,
          cwd: info.cwd,
          project: info.project_id,
          task: info.task_id,
        });
      default:
        throw new AppError("usage.invalid", `choice ${choice}: not one that was offered`);
    }
  }
}

/** With everything that the earlier run had but its conversation. */
const anew = ({ agent, profile, model, cwd, project_id, task_id, permissions, on, network }: RunInfo): Options => ({
  resume: undefined,
  ...(profile === "" ? { agent, on, network: on === "local" ? undefined : network } : { profile }),
  model: model || undefined,
  cwd,
  project: project_id,
  task: task_id,
  permissions: permissions || undefined,
});

const textOf = (content: readonly Content[]): string =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");

function limitsOf(
  { timeout_s, idle_timeout_s, max_cost_usd, max_tokens, max_turns }: Parameters<Starting["run"]>[0],
  request: RunRequest,
): Pick<RunRequest, "timeoutMs" | "idleTimeoutMs" | "budget"> {
  const limits = { maxCostUsd: max_cost_usd, maxTokens: max_tokens, maxTurns: max_turns };
  const isLimited = Object.values(limits).some((limit) => limit !== undefined);
  return {
    timeoutMs: timeout_s === undefined ? request.timeoutMs : timeout_s * 1000,
    idleTimeoutMs: idle_timeout_s === undefined ? request.idleTimeoutMs : idle_timeout_s * 1000,
    budget: isLimited ? { of: "this run", limits, spent: nothingSpent } : undefined,
  };
}

function requireInfo(home: string, runId: string): RunInfo {
  const info = readRunInfo(findRun(homeAt(home), runId).paths.info);
  if (info !== undefined) return requireOwn(info);
  throw new AppError("run.not_found", `run ${runId}: its directory is gone; only its line in the list is left`);
}
