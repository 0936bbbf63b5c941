import { mkdirSync } from "node:fs";
import { AppError } from "../../../contract/errors.ts";
import { type RunRequest, resumeRequest } from "../../../contract/runs/request.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import type { Home } from "../../../core/store/home.ts";
import { findWorktree } from "../../../core/workspaces/worktrees/worktree-record.ts";
import type { ResumeChoice } from "./resumable.ts";

/** Goes on with a conversation; where it can't go on as it was, as its person chose. */
export function chosenResume(
  home: Home,
  info: RunInfo,
  what: Pick<RunRequest["what"], "prompt" | "promptId">,
  by: string,
  choice: ResumeChoice | undefined,
): RunRequest {
  const request = resumeRequest(info.run_id, what, by);
  const repository = () => findWorktree(home.root, info.project_id, info.task_id)?.repository;
  switch (choice) {
    case undefined:
      return request;
    case "no_profile":
      return { ...request, who: { profile: info.agent } }; // the profile that every agent has without a file
    case "worktree":
      return { ...request, where: { workspace: repository(), worktree: {} } };
    case "repository":
      return { ...request, where: { workspace: repository() } };
    case "folder":
      mkdirSync(info.cwd, { recursive: true });
      return request;
    case "anew":
      return { ...request, lineage: { by, resume: { run: info.run_id, carry: true, anew: true } } };
    default:
      throw new AppError("usage.invalid", `choice ${String(choice)}: not one that was offered`);
  }
}
