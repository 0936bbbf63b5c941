import { describe, expect, test } from "vitest";
import { aJob, aPod, aTask, at, aView, options, running, terminated, waiting } from "../test-objects.ts";
import { planTask } from "./plan.ts";
import type { Action, Collected, TaskView } from "./view.ts";

const nothing: Collected = { outputs: [], results: {}, usage: undefined, said: [], failure: undefined };
const some: Collected = { ...nothing, outputs: ["branch: b"], results: { branch: "b" }, usage: { inputTokens: 5 } };
const ready = { problems: [], lock: "held" as const };
const retrying = { retry: { attempts: 3, on: ["Failed" as const, "Disrupted" as const], appendFailure: false } };
const failedJob = aJob({ type: "Failed", reason: "BackoffLimitExceeded" });

/** Written as a person would say it: `Pending SecretNotFound`, `start 2`, `wait 10000`. */
function brief(action: Action): string {
  switch (action.do) {
    case "report":
      return [action.status.phase, action.status.reason].filter(Boolean).join(" ");
    case "start":
      return `start ${action.attempt}`;
    case "wait":
      return `wait ${action.ms}`;
    case "suspend":
      return `suspend ${action.job}`;
    case "findJob":
      return `findJob ${action.name}`;
    default:
      return action.do;
  }
}

const cases: Record<string, [Partial<TaskView>, string[]]> = {
  // Before there is a Job
  "a new Task: look at what it names first": [{}, ["check"]],
  "all there: start": [{ problems: [] }, ["start 1"]],
  "on a branch: take it first": [{ problems: [], needsLock: true }, ["lock"]],
  "the branch is held: start": [{ ...ready, needsLock: true }, ["start 1"]],
  "the branch is another's": [
    { problems: [], needsLock: true, lock: { by: "other" } },
    ["Waiting BranchBusy", "wait 10000"],
  ],
  "somebody goes before it on the branch": [{ before: "other", needsLock: true }, ["Waiting BranchBusy"]],
  "something it names is missing": [
    { problems: [{ reason: "SecretNotFound", message: "Secret x", denied: false }] },
    ["Pending SecretNotFound", "wait 2000"],
  ],
  "something is not allowed": [
    { problems: [{ reason: "NotAllowed", message: "image", denied: true }] },
    ["Failed NotAllowed"],
  ],
  "its Job's name is taken": [
    { ...ready, refusal: { condition: "NameConflict", reason: "NameConflict", message: "Job fix", denied: false } },
    ["Pending NameConflict", "wait 2000"],
  ],
  "its Job is not valid": [
    { ...ready, refusal: { condition: "JobRejected", reason: "JobInvalid", message: "no", denied: true } },
    ["Failed JobInvalid"],
  ],
  "cancelled before it began": [{ task: aTask({ cancel: true }) }, ["Cancelled Cancelled"]],
  "in a circle": [{ cycle: ["fix", "other"] }, ["Failed DependencyCycle"]],
  "waits for a dependency": [
    { dependencies: [{ name: "a", uid: "u", phase: "Running" }] },
    ["Waiting WaitingForDependencies"],
  ],
  "a dependency failed": [{ dependencies: [{ name: "a", uid: "u", phase: "TimedOut" }] }, ["Failed DependencyFailed"]],
  "being deleted": [
    { task: { ...aTask(), metadata: { ...aTask().metadata, deletionTimestamp: at(0) } }, job: aJob() },
    [],
  ],

  // While it runs
  "a Job without a pod": [{ job: aJob() }, ["Pending Starting"]],
  "no place for the pod": [
    {
      job: aJob(),
      pod: aPod({ phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] }),
    },
    ["Pending Unschedulable"],
  ],
  "the image can't be had: for a while": [
    { job: aJob(), pod: waiting("ImagePullBackOff") },
    ["Pending ImagePullBackOff", "wait 550000"],
  ],
  "the image's name is none: at once": [
    { job: aJob(), pod: waiting("InvalidImageName") },
    ["Failed InvalidImageName", "suspend fix"],
  ],
  running: [{ job: aJob(undefined, { active: 1 }), pod: running() }, ["Running"]],
  "counts that say nothing runs are not believed": [
    { task: aTask({}, { phase: "Running", attempts: 1 }), job: aJob(undefined, { active: 0 }), pod: running() },
    ["Running"],
  ],
  "never pending again": [{ task: aTask({}, { phase: "Running", attempts: 1 }), job: aJob() }, ["Running Starting"]],

  // How it ends
  "complete: read what it left": [{ job: aJob({ type: "Complete" }), pod: terminated({ exitCode: 0 }) }, ["collect"]],
  "complete and read": [
    { job: aJob({ type: "Complete" }), pod: terminated({ exitCode: 0 }), collected: some },
    ["Succeeded Completed"],
  ],
  "an exit code": [{ job: failedJob, pod: terminated({ exitCode: 42 }), collected: nothing }, ["Failed AgentFailed"]],
  "out of memory": [
    { job: failedJob, pod: terminated({ exitCode: 137, reason: "OOMKilled" }), collected: nothing },
    ["Failed OOMKilled"],
  ],
  "out of time": [
    { job: aJob({ type: "Failed", reason: "DeadlineExceeded" }), pod: terminated(), collected: nothing },
    ["TimedOut DeadlineExceeded"],
  ],
  evicted: [{ job: failedJob, pod: terminated({}, { reason: "Evicted" }), collected: nothing }, ["Failed Evicted"]],
  "the pod is gone": [{ job: failedJob, collected: nothing }, ["Failed PodLost"]],
  "a Job about to fail is not failed yet": [
    { job: aJob({ type: "FailureTarget", reason: "x" }), pod: running() },
    ["Running"],
  ],

  // Again
  "a failure that may be repeated": [
    { task: aTask(retrying), job: failedJob, pod: terminated(), collected: nothing },
    ["Pending Retrying"],
  ],
  "a failure that may not": [
    { task: aTask(retrying), job: failedJob, pod: terminated({ reason: "OOMKilled" }), collected: nothing },
    ["Failed OOMKilled"],
  ],
  "the next attempt waits a little": [
    {
      task: aTask(retrying, { attempts: 1, lastAttempt: { number: 1, reason: "x", message: "", finishedAt: at(-4) } }),
      job: failedJob,
      pod: terminated(),
    },
    ["wait 6000"],
  ],
  "then it starts": [
    {
      task: aTask(retrying, { attempts: 1, lastAttempt: { number: 1, reason: "x", message: "", finishedAt: at(-10) } }),
      job: failedJob,
      pod: terminated(),
      ...ready,
    },
    ["start 2"],
  ],
  "the last attempt is the last": [
    {
      task: aTask(retrying, { attempts: 3 }),
      job: aJob({ type: "Failed" }, { attempt: 3 }),
      pod: terminated(),
      collected: nothing,
    },
    ["Failed AgentFailed"],
  ],
  "an attempt that was given up but goes on is ended before the next": [
    {
      task: aTask(retrying, { attempts: 1, lastAttempt: { number: 1, reason: "x", message: "", finishedAt: at(-10) } }),
      job: aJob(),
      pod: waiting("ImagePullBackOff"),
    },
    ["suspend fix"],
  ],
  "cancelled between two attempts": [
    {
      task: aTask(
        { ...retrying, cancel: true },
        { attempts: 1, lastAttempt: { number: 1, reason: "x", message: "", finishedAt: at(-4) } },
      ),
      job: failedJob,
    },
    ["Cancelled Cancelled"],
  ],

  // Cancelled
  "cancelled while it runs": [
    { task: aTask({ cancel: true }), job: aJob(undefined, { active: 1 }), pod: running() },
    ["suspend fix", "Running Cancelling"],
  ],
  "has its grace": [
    { task: aTask({ cancel: true }), job: aJob(undefined, { suspend: true, active: 1 }), pod: running() },
    ["Running Cancelling"],
  ],
  "has stopped": [
    { task: aTask({ cancel: true }), job: aJob(undefined, { suspend: true }), pod: terminated() },
    ["collect"],
  ],
  "has stopped and was read": [
    { task: aTask({ cancel: true }), job: aJob(undefined, { suspend: true }), pod: terminated(), collected: some },
    ["Cancelled Cancelled"],
  ],
  "was done before it could be cancelled": [
    {
      task: aTask({ cancel: true }),
      job: aJob({ type: "Complete" }),
      pod: terminated({ exitCode: 0 }),
      collected: some,
    },
    ["Succeeded Completed"],
  ],

  // What others did
  "somebody suspended its Job": [
    { job: aJob(undefined, { suspend: true }), pod: terminated(), collected: nothing },
    ["Failed JobSuspended"],
  ],
  "its Job is not in the cache": [{ task: aTask({}, { attempts: 1, jobName: "fix" }) }, ["findJob fix"]],
  "its Job is gone": [
    { task: aTask({}, { attempts: 1, jobName: "fix" }), jobIsGone: true, collected: nothing },
    ["Failed JobDeleted"],
  ],
  "the second Job is gone, the first is not": [
    {
      task: aTask(retrying, {
        attempts: 2,
        jobName: "fix-try-2",
        lastAttempt: { number: 1, reason: "x", message: "", finishedAt: at(-10) },
      }),
      job: failedJob,
    },
    ["findJob fix-try-2"],
  ],

  // After the end
  "ended and kept": [{ task: aTask({}, { phase: "Succeeded", completionTime: at(-100) }) }, []],
  "ended, and its time is not over": [
    { task: aTask({ ttlSecondsAfterFinished: 60 }, { phase: "Succeeded", completionTime: at(-20) }) },
    ["wait 40000"],
  ],
  "ended, and its time is over": [
    { task: aTask({ ttlSecondsAfterFinished: 60 }, { phase: "Succeeded", completionTime: at(-60) }) },
    ["delete"],
  ],
  "failures are kept longer": [
    {
      task: aTask(
        { ttlSecondsAfterFinished: 0, ttlSecondsByPhase: { Failed: 60 } },
        { phase: "Failed", completionTime: at(-50) },
      ),
    },
    ["wait 10000"],
  ],
  "its results are still needed": [
    {
      task: aTask({ ttlSecondsAfterFinished: 0 }, { phase: "Succeeded", completionTime: at(-60) }),
      hasDependents: true,
    },
    ["wait 30000"],
  ],
  "ended, but a Job of it goes on": [
    { task: aTask({}, { phase: "Cancelled" }), job: aJob(), pod: running() },
    ["suspend fix"],
  ],
};

describe("what to do about a Task", () => {
  test.each(Object.entries(cases))("%s", (_, [view, expected]) => {
    expect(planTask(aView(view), options).map(brief)).toEqual(expected);
  });

  test("the same view gives the same plan", () => {
    for (const [view] of Object.values(cases))
      expect(planTask(aView(view), options)).toEqual(planTask(aView(view), options));
  });

  test("what is said twice changes no time", () => {
    const problems = [{ reason: "SecretNotFound", message: "Secret x", denied: false }];
    const [first] = planTask(aView({ problems }), options);
    if (first?.do !== "report") throw new Error("nothing was reported");
    const task = aTask({}, first.status);
    const [second] = planTask(aView({ task, problems }), { ...options, now: options.now + 5000 });
    expect(second).toEqual(first);
  });

  test("usage adds up over attempts, outputs are those of the last", () => {
    const task = aTask({}, { attempts: 2, usage: { inputTokens: 10, costUSD: "0.1" } });
    const view = aView({
      task,
      job: aJob({ type: "Complete" }, { attempt: 2 }),
      pod: terminated({ exitCode: 0 }),
      collected: some,
    });
    const [action] = planTask(view, options);
    expect(action).toMatchObject({
      status: {
        usage: { inputTokens: 15, costUSD: "0.1" },
        outputs: ["branch: b"],
        results: { branch: "b" },
        exitCode: 0,
      },
    });
  });

  test("what an attempt that is repeated left out is not said of the Task", () => {
    const said = [{ type: "OutputsUnavailable" as const, status: true, reason: "NotReported", message: "no log" }];
    const collected = { ...nothing, said };
    const reported = (task: TaskView["task"]) => {
      const [action] = planTask(aView({ task, job: failedJob, pod: terminated(), collected }), options);
      if (action?.do !== "report") throw new Error("nothing was reported");
      return action.status;
    };
    expect(reported(aTask(retrying))).toMatchObject({ reason: "Retrying" });
    expect(reported(aTask(retrying))).not.toHaveProperty("conditions");
    expect(reported(aTask({}))).toMatchObject({ phase: "Failed", conditions: [{ type: "OutputsUnavailable" }] });
  });
});
