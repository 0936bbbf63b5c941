import { withConditions } from "./conditions.ts";
import { finish, hold } from "./report.ts";
import type { Action, PlanOptions, Problem, TaskView } from "./view.ts";

/** Everything but the Job is settled. */
export function planStart(view: TaskView, attempt: number, options: PlanOptions): Action[] {
  const { task, problems, needsLock, lock, refusal } = view;
  if (problems === undefined) return [{ do: "check" }];
  const denied = problems.filter((problem) => problem.denied);
  if (denied[0] !== undefined) return [refuse(view, denied[0], denied, options)];
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

/** No waiting helps: what was asked for that may not be had, all of it at once. */
function refuse(view: TaskView, first: Problem, all: readonly Problem[], options: PlanOptions): Action {
  const { status, metadata } = view.task;
  const message = all.map((problem) => problem.message).join("; ");
  const said = [{ type: "Allowed" as const, status: false, reason: first.reason, message }];
  const conditions = withConditions(status?.conditions, said, options.now, metadata.generation);
  return finish(view, "Failed", first.reason, message, options, { conditions });
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
  // Names in it are the Task's own words, of any length; a status that is too large would never be written.
  const message = all
    .map((problem) => problem.message.slice(0, 1000))
    .join("; ")
    .slice(0, 4096);
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
