import { addUsage } from "../../../../contract/outputs/outputs.ts";
import { LABELS } from "../../../../contract/resources/names.ts";
import type { TaskPhase } from "../../../../contract/resources/task.ts";
import { backoffMs } from "../../../../lib/base/backoff.ts";
import type { Job } from "../../../kube/objects.ts";
import { timestamp, withConditions } from "./conditions.ts";
import { type Attempt, type Ended, judge } from "./outcome.ts";
import { planStart } from "./plan-start.ts";
import { finish, hold } from "./report.ts";
import type { Action, Collected, PlanOptions, StatusChange, TaskView } from "./view.ts";

export const attemptOf = (job: Job): number => Number(job.metadata.labels?.[LABELS.attempt] ?? 1);

/** There is a Job. */
export function planAttempt(view: TaskView, job: Job, options: PlanOptions): Action[] {
  const { task, pod } = view;
  const attempt = attemptOf(job);
  const state = judge(job, pod, task.spec.type);
  if (task.status?.lastAttempt?.number === attempt) return planNext(view, options);
  if (task.spec.cancel && (state.state !== "ended" || job.spec.suspend)) return planCancel(view, job, state, options);
  switch (state.state) {
    case "starting":
      return starting(view, job, state, options);
    case "running":
      return [
        progress(view, job, "Running", undefined, undefined, { startTime: task.status?.startTime ?? state.since }),
      ];
    case "stopped":
      return conclude(view, job, stoppedByOthers, options);
    case "ended":
      return conclude(view, job, state.how, options);
  }
}

/** A Job we made is not there any more. */
export function planVanished(view: TaskView, options: PlanOptions): Action[] {
  const { task, jobIsGone } = view;
  if (!jobIsGone) return [{ do: "findJob", name: task.status?.jobName ?? task.metadata.name }];
  if (task.spec.cancel) return [finish(view, "Cancelled", "Cancelled", "cancelled; its Job was deleted", options)];
  return conclude(view, undefined, vanished, options);
}

/** The last attempt is judged and another one is due. */
export function planNext(view: TaskView, options: PlanOptions): Action[] {
  const { task, job, pod } = view;
  const { status, spec } = task;
  const last = status?.lastAttempt;
  if (spec.cancel) return [finish(view, "Cancelled", "Cancelled", "cancelled between two attempts", options)];
  if (job !== undefined && !job.spec.suspend && judge(job, pod, spec.type).state !== "ended") {
    return [{ do: "suspend", job: job.metadata.name }];
  }
  const attempt = (last?.number ?? 0) + 1;
  const due = Date.parse(last?.finishedAt ?? "") + backoffMs(attempt - 1, options.retryBackoff, () => 1);
  return due > options.now ? [{ do: "wait", ms: due - options.now }] : planStart(view, attempt, options);
}

function planCancel(view: TaskView, job: Job, state: Attempt, options: PlanOptions): Action[] {
  if (state.state === "stopped" || state.state === "ended") {
    if (view.collected === undefined) return [{ do: "collect" }];
    const how: Ended = state.state === "ended" ? state.how : stoppedByOthers;
    return [
      finish(
        view,
        "Cancelled",
        "Cancelled",
        "cancelled while it was running",
        options,
        leftBehind(view, job, how, view.collected, options),
      ),
    ];
  }
  const phase = view.task.status?.phase === "Running" || state.state === "running" ? "Running" : "Pending";
  const said = progress(view, job, phase, "Cancelling", "the agent was asked to stop");
  return job.spec.suspend ? [said] : [{ do: "suspend", job: job.metadata.name }, said];
}

const stoppedByOthers: Ended = {
  outcome: "failed",
  retryReason: "Disrupted",
  reason: "JobSuspended",
  message: "somebody suspended its Job",
  exitCode: undefined,
};

const vanished: Ended = { ...stoppedByOthers, reason: "JobDeleted", message: "somebody deleted its Job" };

function starting(view: TaskView, job: Job, state: Attempt & { state: "starting" }, options: PlanOptions): Action[] {
  const { task } = view;
  const { reason, message, trouble } = state;
  // Once it ran it is never said to be pending again.
  const phase = task.status?.phase === "Running" ? "Running" : "Pending";
  const said = progress(view, job, phase, reason ?? "Starting", message);
  if (trouble === undefined) return [said];
  const left = Date.parse(job.metadata.creationTimestamp ?? "") + options.startTimeoutMs - options.now;
  if (trouble === "stuck" && left > 0) return [said, { do: "wait", ms: left }];
  const how: Ended = {
    outcome: "failed",
    retryReason: "NotStarted",
    reason: reason ?? "NotStarted",
    message: message ?? "",
    exitCode: undefined,
  };
  return [...conclude({ ...view, collected: nothing }, job, how, options), { do: "suspend", job: job.metadata.name }];
}

const nothing: Collected = {
  outputs: [],
  results: {},
  usage: undefined,
  failure: undefined,
  said: [
    {
      type: "OutputsUnavailable",
      status: true,
      reason: "NotStarted",
      message: "the agent never started, so it left nothing",
    },
  ],
};

/** An attempt is over: the next one, or the end. */
function conclude(view: TaskView, job: Job | undefined, how: Ended, options: PlanOptions): Action[] {
  const { task, collected } = view;
  if (collected === undefined) return [{ do: "collect" }];
  const left = leftBehind(view, job, how, collected, options);
  if (how.outcome === "succeeded") return [finish(view, "Succeeded", "Completed", "", options, left)];
  const message = collected.failure === undefined ? how.message : `${how.message}: ${collected.failure}`;
  const number = job === undefined ? (task.status?.attempts ?? 1) : attemptOf(job);
  const { attempts = 1, on = [] } = task.spec.retry ?? {};
  if (number < attempts && how.retryReason !== undefined && on.includes(how.retryReason)) {
    const lastAttempt = {
      number,
      retryReason: how.retryReason,
      reason: how.reason,
      message: message.slice(0, 2048),
      finishedAt: timestamp(options.now),
    };
    // What a failed attempt reported, or did not, is not the Task's result; what it used was used.
    const { outputs: _outputs, results: _results, conditions: _conditions, ...rest } = left;
    const said = `attempt ${number} of ${attempts}: ${how.reason}: ${message}`.slice(0, 4096);
    return [hold(view, "Pending", "Retrying", said, { ...rest, lastAttempt })];
  }
  return [finish(view, how.outcome === "timedOut" ? "TimedOut" : "Failed", how.reason, message, options, left)];
}

function leftBehind(
  view: TaskView,
  job: Job | undefined,
  how: Ended,
  collected: Collected,
  { now }: PlanOptions,
): StatusChange {
  const { task, pod } = view;
  return {
    ...(job === undefined ? {} : identity(view, job)),
    exitCode: how.exitCode,
    outputs: [...collected.outputs],
    results: { ...collected.results },
    usage: addUsage(task.status?.usage, collected.usage),
    startTime: task.status?.startTime ?? startedAt(pod, task.spec.type),
    ...(collected.said.length === 0
      ? {}
      : { conditions: withConditions(task.status?.conditions, collected.said, now, task.metadata.generation) }),
  };
}

function startedAt(pod: TaskView["pod"], container: string): string | undefined {
  const state = pod?.status?.containerStatuses?.find(({ name }) => name === container)?.state;
  return state?.terminated?.startedAt ?? state?.running?.startedAt ?? undefined;
}

function progress(
  view: TaskView,
  job: Job,
  phase: TaskPhase,
  reason: string | undefined,
  message: string | undefined,
  more: StatusChange = {},
): Action {
  const { task } = view;
  const unresolved = task.status?.conditions?.some(
    ({ type, status }) =>
      (type === "ReferencesResolved" && status === "False") || (CLEARED.has(type) && status === "True"),
  );
  return hold(view, phase, reason, message, {
    ...identity(view, job),
    ...more,
    ...(unresolved ? { conditions: resolved(task.status?.conditions) } : {}),
  });
}

const CLEARED = new Set(["NameConflict", "JobRejected"]);

/** There is a Job: whatever stood in its way is out of it. */
const resolved = (conditions: StatusChange["conditions"]) =>
  conditions?.filter(({ type }) => type !== "ReferencesResolved" && !CLEARED.has(type));

function identity({ pod }: TaskView, job: Job): StatusChange {
  return {
    attempts: attemptOf(job),
    jobName: job.metadata.name,
    jobUID: job.metadata.uid,
    ...(pod === undefined ? {} : { podName: pod.metadata.name }),
  };
}
