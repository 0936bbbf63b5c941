import { withConditions } from "./conditions.ts";
import { finish, hold } from "./report.ts";
import type { Action, PlanOptions, Problem, TaskView } from "./view.ts";

/** Everything but the Job is settled. */
export function planStart(view: TaskView, attempt: number, options: PlanOptions): Action[] {
  const { task, problems, needsLock, lock, refusal } = view;
  if (problems === undefined) return [{ do: "check" }];
  const denied = problems.find((problem) => problem.denied);
  if (denied !== undefined) return [finish(view, "Failed", denied.reason, denied.message, options)];
  const [problem] = problems;
  if (problem !== undefined) return missing(view, "ReferencesResolved", problem, problems, options);
  if (needsLock && lock === undefined) return [{ do: "lock" }];
  if (lock !== undefined && lock !== "held") {
    return [
      hold(view, "Waiting", "BranchBusy", `branch ${task.spec.branch} is taken by Task ${lock.by}`),
      { do: "wait", ms: 10_000 },
    ];
  }
  if (refusal?.denied) return [finish(view, "Failed", refusal.reason, refusal.message, options)];
  if (refusal !== undefined) return missing(view, refusal.condition, refusal, [refusal], options);
  return [{ do: "start", attempt }];
}

/** Waits for something a person has to put right, and looks again: soon at first, then less often. */
function missing(
  view: TaskView,
  type: "ReferencesResolved" | "NameConflict" | "JobRejected",
  first: Problem,
  all: readonly Problem[],
  { now }: PlanOptions,
): Action[] {
  const { task } = view;
  const message = all.map((problem) => problem.message).join("; ");
  const status = type !== "ReferencesResolved";
  const conditions = withConditions(
    task.status?.conditions,
    [{ type, status, reason: first.reason, message }],
    now,
    task.metadata.generation,
  );
  const since = Date.parse(conditions.find((condition) => condition.type === type)?.lastTransitionTime ?? "");
  const ms = Math.min(60_000, Math.max(2000, (now - since) / 2));
  return [hold(view, "Pending", first.reason, message, { conditions }), { do: "wait", ms }];
}
