import { responseOf } from "../../contract/outputs/outputs.ts";
import { REPO_PATH, WORKSPACE_MOUNT } from "../../contract/resources/names.ts";
import type { Task, TaskPhase } from "../../contract/resources/task.ts";
import { blankRunInfo, type RunInfo, type RunReason } from "../../contract/runs/run.ts";

const reasons: Readonly<Partial<Record<TaskPhase, RunReason>>> = {
  Failed: "exit_code",
  Cancelled: "stopped",
  TimedOut: "timeout",
};

/** A Task as the record of a run: what the live view closes with. */
export function recordOf(task: Task, turns: number): RunInfo {
  const { metadata, spec, status = {} } = task;
  const { phase = "Pending", usage = {} } = status;
  return {
    ...blankRunInfo,
    run_id: metadata.name,
    agent: spec.type,
    model: spec.model ?? "",
    cwd: placeOf(task),
    start_time: status.startTime ?? "",
    end_time: status.completionTime ?? "",
    status: phase === "Succeeded" ? "completed" : phase in reasons ? "failed" : "running",
    reason: reasons[phase] ?? "",
    exit_code: status.exitCode ?? -1,
    error_summary: phase === "Succeeded" ? "" : [status.reason, status.message].filter(Boolean).join(": "),
    turns,
    input_tokens: usage.inputTokens ?? 0,
    output_tokens: usage.outputTokens ?? 0,
    cost_usd: Number(usage.costUSD ?? 0),
    branch: status.results?.branch ?? "",
    output_path: `cox k8s describe ${metadata.name} -n ${metadata.namespace ?? "default"}`,
  };
}

export const placeOf = ({ spec }: Task): string => (spec.workspaceRef === undefined ? WORKSPACE_MOUNT : REPO_PATH);

/** What a shell should see: the agent's own code where there is one. */
export function exitCodeOfTask({ status = {} }: Task): number {
  if (status.phase === "Succeeded") return 0;
  if (status.phase === "TimedOut") return 124;
  return Math.max(status.exitCode ?? 1, 1);
}

export const responseOfTask = ({ status }: Task): string | undefined => responseOf(status?.results ?? {});
