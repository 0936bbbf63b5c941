import { isFinalPhase } from "../../../../contract/resources/task.ts";
import { judgeDependencies, seenDependencies } from "./dependencies.ts";
import { judge } from "./outcome.ts";
import { attemptOf, planAttempt, planNext, planVanished } from "./plan-attempt.ts";
import { planStart } from "./plan-start.ts";
import { finish, hold } from "./report.ts";
import { expiryOf } from "./ttl.ts";
import type { Action, PlanOptions, TaskView } from "./view.ts";

/**
 * What to do about a Task now. Pure: whoever carries it out looks up what is asked for, puts it into the view and asks again.
 * It never depends on what happened, only on what is: so nothing is lost with a restart, and doing it twice changes nothing.
 */
export function planTask(view: TaskView, options: PlanOptions): Action[] {
  const { task, job } = view;
  // Whatever belongs to it goes with it by its owner reference.
  if (task.metadata.deletionTimestamp !== undefined) return [];
  if (isFinalPhase(task.status?.phase)) return planFinal(view, options);
  const attempts = task.status?.attempts ?? 0;
  if (job !== undefined && attemptOf(job) >= attempts) return planAttempt(view, job, options);
  if (attempts === 0) return planFirst(view, options);
  return task.status?.lastAttempt?.number === attempts ? planNext(view, options) : planVanished(view, options);
}

function planFirst(view: TaskView, options: PlanOptions): Action[] {
  const { task, dependencies, cycle, before } = view;
  if (task.spec.cancel) return [finish(view, "Cancelled", "Cancelled", "cancelled before it was started", options)];
  if (cycle !== undefined) {
    const message = `these Tasks depend on each other: ${[...cycle].sort().join(", ")}; delete one of them`;
    return [finish(view, "Failed", "DependencyCycle", message, options)];
  }
  const verdict = judgeDependencies(task, dependencies);
  if (verdict.may === "fail") return [finish(view, "Failed", verdict.reason, verdict.message, options)];
  if (verdict.may === "wait") {
    return [hold(view, "Waiting", verdict.reason, verdict.message, { dependencies: seenDependencies(dependencies) })];
  }
  if (before !== undefined) {
    return [hold(view, "Waiting", "BranchBusy", `branch ${task.spec.branch} is taken by Task ${before}`)];
  }
  return planStart(view, 1, options);
}

function planFinal(view: TaskView, { now }: PlanOptions): Action[] {
  const { task, job, pod, hasDependents } = view;
  // A Job that somebody made for it meanwhile must not go on.
  const goesOn = job !== undefined && !job.spec.suspend && judge(job, pod, task.spec.type).state !== "ended";
  const actions: Action[] = goesOn ? [{ do: "suspend", job: job.metadata.name }] : [];
  const expiry = expiryOf(task);
  if (expiry === undefined) return actions;
  // Its results are still needed.
  if (hasDependents) return [...actions, { do: "wait", ms: 30_000 }];
  return [...actions, now >= expiry ? { do: "delete" } : { do: "wait", ms: expiry - now }];
}
