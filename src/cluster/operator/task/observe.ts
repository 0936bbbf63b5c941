import { isFinalPhase, type Task } from "../../../contract/resources/task.ts";
import { findCycles } from "../../../lib/base/graph.ts";
import type { Job, Pod } from "../../kube/objects.ts";
import { splitKey } from "../../kube/resource.ts";
import type { Cache } from "../cache.ts";
import { isOwnedBy } from "./job/job.ts";
import { goesBefore, lockKeyOf } from "./plan/branch-lock.ts";
import { type Dependency, judgeDependencies } from "./plan/dependencies.ts";
import { attemptOf } from "./plan/plan-attempt.ts";
import type { TaskView } from "./plan/view.ts";

/** The view of a Task, from the cache alone. */
export function observe(cache: Cache, key: string, task: Task): TaskView {
  const job = newestJob(cache, key, task);
  const started = job !== undefined || (task.status?.attempts ?? 0) > 0;
  const isFinal = isFinalPhase(task.status?.phase);
  const lock = lockKeyOf(task);
  const peers = started || isFinal || lock === undefined ? [] : cache.tasks.by("lock", lock);
  return {
    task,
    job,
    pod: job && newestPod(cache, key, job),
    dependencies: started || isFinal ? [] : dependenciesOf(cache, task),
    cycle: started || isFinal ? undefined : cycleOf(cache, key, task),
    before: goesBefore(task, peers, (other) => couldBegin(cache, other))?.metadata.name,
    needsLock: lock !== undefined,
    hasDependents: isFinal && cache.tasks.by("dependency", key).some(({ status }) => !isFinalPhase(status?.phase)),
  };
}

function newestJob(cache: Cache, key: string, task: Task): Job | undefined {
  const owned = cache.jobs.by("task", key).filter((job) => isOwnedBy(job, task));
  return owned.reduce<Job | undefined>(
    (best, job) => (best === undefined || attemptOf(job) > attemptOf(best) ? job : best),
    undefined,
  );
}

function newestPod(cache: Cache, key: string, job: Job): Pod | undefined {
  const gone = cache.gonePods.get(key);
  const all = [...cache.pods.by("task", key), ...(gone ? [gone] : [])].filter((pod) => isOwnedByJob(pod, job));
  const newer = (a: Pod, b: Pod) => (a.metadata.creationTimestamp ?? "") > (b.metadata.creationTimestamp ?? "");
  return all.reduce<Pod | undefined>((best, pod) => (best === undefined || newer(pod, best) ? pod : best), undefined);
}

const isOwnedByJob = ({ metadata }: Pod, job: Job) =>
  metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) === true;

function dependenciesOf(cache: Cache, { metadata, spec }: Task): Dependency[] {
  return (spec.dependsOn ?? []).map((name) => {
    const dependency = cache.tasks.get(`${metadata.namespace}/${name}`);
    const uid = dependency?.metadata.uid;
    return uid === undefined ? { name, uid: undefined } : { name, uid, phase: dependency?.status?.phase };
  });
}

/** A circle is closed by the last Task in it, and by then all others exist: whoever is looked at first finds it. */
function cycleOf(cache: Cache, key: string, { spec }: Task): string[] | undefined {
  if ((spec.dependsOn ?? []).length === 0) return undefined;
  const next = (node: string) => {
    const task = cache.tasks.get(node);
    // What has ended waits for nobody.
    if (task === undefined || isFinalPhase(task.status?.phase)) return [];
    return (task.spec.dependsOn ?? []).map((name) => `${task.metadata.namespace}/${name}`);
  };
  return findCycles([key], next)
    .find((members) => members.includes(key))
    ?.map((member) => splitKey(member).name);
}

/** Whether only the branch stands between a Task and its start. */
function couldBegin(cache: Cache, task: Task): boolean {
  if (task.spec.cancel || MISSING.has(task.status?.reason ?? "")) return false;
  return judgeDependencies(task, dependenciesOf(cache, task)).may === "start";
}

const MISSING = new Set([
  "WorkspaceNotFound",
  "AgentConfigNotFound",
  "SecretNotFound",
  "SecretKeyNotFound",
  "NameConflict",
  "JobForbidden",
]);
