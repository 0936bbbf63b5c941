import type { AgentConfig } from "../../contract/resources/agent-config.ts";
import { LABELS } from "../../contract/resources/names.ts";
import type { Task } from "../../contract/resources/task.ts";
import type { Workspace } from "../../contract/resources/workspace.ts";
import type { Clock } from "../../lib/base/clock.ts";
import type { Log } from "../../lib/base/log.ts";
import type { KubeClient } from "../kube/client.ts";
import { Informer } from "../kube/informer.ts";
import type { Job, Pod } from "../kube/objects.ts";
import {
  agentConfigs,
  jobs,
  type KubeObject,
  keyOf,
  pods,
  type Resource,
  tasks,
  workspaces,
} from "../kube/resource.ts";
import { Store } from "../kube/store.ts";
import { FreshTasks } from "./fresh-tasks.ts";
import { lockKeyOf } from "./task/plan/branch-lock.ts";
import { isOver } from "./task/plan/outcome.ts";
import { trimJob, trimPod, trimSpec, trimTask } from "./task/trim.ts";

const byTask = ({ metadata }: KubeObject) => {
  const task = metadata.labels?.[LABELS.task];
  return task === undefined ? [] : [`${metadata.namespace}/${task}`];
};
const inNamespace = (task: Task, names: readonly string[]) => names.map((name) => `${task.metadata.namespace}/${name}`);

/** What the operator knows of the cluster. Everything is found by key or index, so that size costs nothing but memory. */
export class Cache {
  readonly tasks = new Store<Task, "dependency" | "lock" | "workspace" | "config">({
    dependency: (task) => inNamespace(task, task.spec.dependsOn ?? []),
    lock: (task) => [lockKeyOf(task) ?? []].flat(),
    workspace: (task) => inNamespace(task, task.spec.workspaceRef ? [task.spec.workspaceRef.name] : []),
    config: (task) =>
      inNamespace(
        task,
        [...(task.spec.agentConfigRef ? [task.spec.agentConfigRef] : []), ...(task.spec.agentConfigRefs ?? [])].map(
          ({ name }) => name,
        ),
      ),
  });
  readonly jobs = new Store<Job, "task">({ task: byTask });
  readonly pods = new Store<Pod, "task">({ task: byTask });
  readonly workspaces = new Store<Workspace>({});
  readonly agentConfigs = new Store<AgentConfig>({});
  /** The last state of pods that are gone, by Task, until somebody has looked at it: a pod may end and go between two looks. */
  readonly gonePods = new Map<string, Pod>();
  readonly fresh = new FreshTasks();
  /** Called with the keys of Tasks that need a look. */
  look: (keys: Iterable<string>) => void = () => {};

  /** Takes in a Task that we wrote or read ourselves: the watch will bring nothing new then, so whoever waits for it is told here. */
  takeTask(task: Task): boolean {
    const trimmed = trimTask(task);
    const { before, changed } = this.tasks.put(trimmed);
    if (changed) this.tellWaiting(trimmed, before);
    return changed;
  }

  /** Those that wait for a Task are told only when something changed that they wait for. */
  tellWaiting(after: Task | undefined, before: Task | undefined): void {
    const task = after ?? before;
    if (
      task === undefined ||
      (after !== undefined && before !== undefined && after.status?.phase === before.status?.phase)
    )
      return;
    this.look(keys(this.tasks.by("dependency", keyOf(task))));
    const lock = lockKeyOf(task);
    if (lock !== undefined) this.look(keys(this.tasks.by("lock", lock)));
  }
}

const keys = (list: readonly KubeObject[]) => list.map(keyOf);

/** One that was removed before it ran says Pending for ever; it is as over as any other. */
const gone = (pod: Pod): Pod => (isOver(pod) ? pod : { ...pod, status: { ...pod.status, phase: "Failed" } });

export interface FollowOptions {
  client: KubeClient;
  clock: Clock;
  log: Log;
  namespace: string;
  cache: Cache;
  signal: AbortSignal;
}

/** Keeps the cache up to date; resolves when it is complete for the first time. */
export async function follow({
  client,
  clock,
  log,
  namespace,
  cache,
  signal,
}: FollowOptions): Promise<{ ended: Promise<void> }> {
  const { look } = cache;
  const running: Promise<void>[] = [];
  const start = <T extends KubeObject, I extends string>(
    resource: Resource<T>,
    store: Store<T, I>,
    trim: (object: T) => T,
    onChange: (key: string, after: T | undefined, before: T | undefined) => void,
    labelSelector?: string,
  ) => {
    const informer = new Informer({ client, resource, namespace, labelSelector, store, trim, onChange, clock, log });
    running.push(informer.run(signal));
    return informer.synced;
  };
  const owned = (key: string, after: KubeObject | undefined, before: KubeObject | undefined) => {
    void key;
    const object = after ?? before;
    if (object !== undefined) look(byTask(object));
  };
  const trimNew = (task: Task) => {
    cache.fresh.note(task);
    return trimTask(task);
  };
  const synced = [
    start(tasks, cache.tasks, trimNew, (key, after, before) => {
      if (after === undefined) cache.fresh.take(key, undefined);
      look([key]);
      cache.tellWaiting(after, before);
    }),
    start(jobs, cache.jobs, trimJob, owned, LABELS.task),
    start(
      pods,
      cache.pods,
      trimPod,
      (key, after, before) => {
        const [task] = before === undefined ? [] : byTask(before);
        if (after === undefined && before !== undefined && task !== undefined) cache.gonePods.set(task, gone(before));
        owned(key, after, before);
      },
      LABELS.task,
    ),
    start(workspaces, cache.workspaces, trimSpec, (key) => look(keys(cache.tasks.by("workspace", key)))),
    start(agentConfigs, cache.agentConfigs, trimSpec, (key) => look(keys(cache.tasks.by("config", key)))),
  ];
  const ended = Promise.all(running).then(() => undefined);
  await Promise.race([Promise.all(synced), ended]);
  return { ended };
}
