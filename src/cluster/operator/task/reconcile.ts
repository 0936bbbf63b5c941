import { messageOf } from "../../../contract/errors.ts";
import { isFinalPhase, type Task, type TaskPhase } from "../../../contract/resources/task.ts";
import type { Clock } from "../../../lib/base/clock.ts";
import type { Log } from "../../../lib/base/log.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isConflict, isNotFound } from "../../kube/error.ts";
import { jobs, pods, tasks } from "../../kube/resource.ts";
import type { Cache } from "../cache.ts";
import type { Events } from "../events.ts";
import type { FenceKeeper } from "../fence/fence-keeper.ts";
import type { OperatorMetrics } from "../measure.ts";
import type { OperatorOptions } from "../options.ts";
import type { Again } from "../queue.ts";
import { collect } from "./collect.ts";
import { findReferences, orNothing } from "./find-references.ts";
import { observe } from "./observe.ts";
import { judge, terminatedIn } from "./plan/outcome.ts";
import { planTask } from "./plan/plan.ts";
import { statusPatch } from "./plan/status-patch.ts";
import type { Action, StatusChange, TaskView } from "./plan/view.ts";
import { type References, resolveReferences } from "./references.ts";
import { startAttempt } from "./start.ts";
import { takeBranch } from "./take-branch.ts";
import { trimJob, trimPod } from "./trim.ts";

export interface Surroundings {
  client: KubeClient;
  cache: Cache;
  clock: Clock;
  log: Log;
  events: Events;
  metrics: OperatorMetrics;
  options: OperatorOptions;
  fence: FenceKeeper;
}

/** What was looked up for the plan in this look, and what is needed to do as it says. */
type Known = Partial<TaskView> & { references?: References; started?: boolean };

/** More rounds than any Task needs; a plan that never rests is a mistake of ours, not a reason to spin. */
const MAX_ROUNDS = 16;

/** Brings one Task to where it should be: plan, do, look again, until there is nothing left to do. */
export async function reconcileTask(key: string, around: Surroundings): Promise<Again> {
  const { cache, clock, options, log } = around;
  const known: Known = {};
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const task = cache.tasks.get(key);
    if (task === undefined) {
      cache.gonePods.delete(key);
      return undefined;
    }
    // Nobody asks any more how its pods ended.
    if (isFinalPhase(task.status?.phase)) cache.gonePods.delete(key);
    const { references: _references, started: _started, ...found } = known;
    const view = { ...observe(cache, key, task), ...found };
    const { startTimeoutMs, retryBackoff } = options;
    const actions = planTask(view, { now: clock.now(), startTimeoutMs, retryBackoff });
    let again: Again;
    let moved = false;
    for (const action of actions) {
      if (action.do === "wait") again = { afterMs: action.ms };
      else if (await carryOut(action, key, view, known, around)) moved = true;
    }
    // The Job is made; others wait for theirs. What there is to say about it is said after them.
    if (known.started) return { afterMs: 0 };
    if (!moved) return again;
  }
  log.error("a Task does not come to rest", { key });
  return { afterMs: 60_000 };
}

/** Whether anything changed that the plan should know. */
async function carryOut(
  action: Exclude<Action, { do: "wait" }>,
  key: string,
  view: TaskView,
  known: Known,
  around: Surroundings,
): Promise<boolean> {
  const { client, cache, options } = around;
  const { task } = view;
  const { namespace = "", name, uid } = task.metadata;
  switch (action.do) {
    case "report":
      return report(task, action.status, around);
    case "check": {
      const resolved = resolveReferences(task.spec, await findReferences(client, cache, task), options);
      known.problems = "workspaceSecret" in resolved ? [] : resolved;
      if ("workspaceSecret" in resolved) known.references = resolved;
      return true;
    }
    case "lock":
      known.lock = await takeBranch(client, cache, task);
      return true;
    case "start":
      cache.gonePods.delete(key); // of the attempt before
      return start(action.attempt, task, known, around);
    case "findJob": {
      const job = await orNothing(client, jobs, namespace, action.name);
      if (job === undefined) known.jobIsGone = true;
      else cache.jobs.put(trimJob(job));
      return true;
    }
    case "collect":
      known.collected = await collectFrom(view, around);
      return true;
    case "suspend": {
      const job = await client.patch(jobs, namespace, action.job, { spec: { suspend: true } });
      cache.jobs.put(trimJob(job));
      return true;
    }
    case "delete":
      await client.delete(tasks, namespace, name, { uid }).catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
      around.events.tell(task, "Normal", "Expired", "its time after the end is over");
      return false;
  }
}

async function start(
  attempt: number,
  task: Task,
  known: Known,
  { client, cache, options, clock, metrics, fence }: Surroundings,
): Promise<boolean> {
  if (known.references === undefined)
    throw new Error("a Task was to be started before what it refers to was looked at");
  const open = await fence.ensure().then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (open !== undefined) {
    // Without its fence no agent starts; that it can't be had is said where whoever waits will look.
    const message = `the network of agents can't be fenced in, so none is started: ${messageOf(open.error)}`;
    known.refusal = { condition: "JobRejected", reason: "NetworkNotFenced", message, denied: false };
    return true;
  }
  const started = await startAttempt(client, cache, task, attempt, known.references, options);
  if ("job" in started) {
    cache.jobs.put(trimJob(started.job));
    known.started = true;
    const created = Date.parse(task.metadata.creationTimestamp ?? "");
    metrics.startLatency.observe(Math.max(0, clock.now() - created) / 1000);
    return true;
  }
  if ("refusal" in started) {
    known.refusal = started.refusal;
    return true;
  }
  // The cache is behind. What was read now goes in; the watch brings the rest.
  if (started.stale !== undefined) return cache.takeTask(started.stale);
  return false;
}

async function collectFrom({ task, job, pod }: TaskView, { client }: Surroundings) {
  const container = task.spec.type;
  const isEnded = job !== undefined && judge(job, pod, container).state === "ended";
  // The Job's end may be seen before the pod's: the two come by different watches.
  if (isEnded && terminatedIn(pod, container) === undefined) {
    const labelSelector = `batch.kubernetes.io/job-name=${job.metadata.name}`;
    const { items } = await client.list(pods, task.metadata.namespace, { labelSelector });
    const fresh = items
      .map((item) => trimPod({ ...item, apiVersion: "v1", kind: "Pod" }))
      .find((item) => terminatedIn(item, container));
    return collect(client, fresh ?? pod, container);
  }
  return collect(client, pod, container);
}

/** Writes what changed of a status, if anything; refused when somebody else was first, and then looked at anew. */
async function report(
  task: Task,
  change: StatusChange,
  { client, cache, events, metrics, clock }: Surroundings,
): Promise<boolean> {
  const patch = statusPatch(task.status, change);
  if (patch === undefined) return false;
  const { namespace, name, resourceVersion, uid } = task.metadata;
  const body = { metadata: { resourceVersion, uid }, status: patch };
  let written: Task;
  try {
    written = await client.patch(tasks, namespace, name, body, "status");
  } catch (error) {
    if (isNotFound(error)) return false;
    if (!isConflict(error)) throw error;
    metrics.conflicts.add();
    const fresh = await orNothing(client, tasks, namespace ?? "", name);
    return fresh !== undefined && cache.takeTask(fresh);
  }
  cache.takeTask(written);
  const phase = written.status?.phase;
  if (phase !== undefined && phase !== task.status?.phase) tell(written, phase, { events, metrics, clock });
  return true;
}

function tell(
  task: Task,
  phase: TaskPhase,
  { events, metrics, clock }: Pick<Surroundings, "events" | "metrics" | "clock">,
): void {
  const { reason = "", message = "" } = task.status ?? {};
  const bad = phase === "Failed" || phase === "TimedOut";
  events.tell(
    task,
    bad ? "Warning" : "Normal",
    `Task${phase}`,
    message === "" ? reason || phase : `${reason}: ${message}`,
  );
  if (!isFinalPhase(phase)) return;
  metrics.finished.add(1, { phase, type: task.spec.type });
  const began = Date.parse(task.status?.startTime ?? "");
  if (!Number.isNaN(began)) metrics.duration.observe((clock.now() - began) / 1000, { phase });
  const cost = Number(task.status?.usage?.costUSD ?? 0);
  if (cost > 0) metrics.cost.add(cost, { type: task.spec.type });
}
