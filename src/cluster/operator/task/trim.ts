import type { ObjectMeta } from "../../../contract/resources/object.ts";
import type { Task } from "../../../contract/resources/task.ts";
import type { Job, Pod } from "../../kube/objects.ts";
import type { KubeObject } from "../../kube/resource.ts";

/**
 * What the cache keeps of each kind. No managedFields, no annotations, no prompts, no outputs: what is long is read again
 * when it is needed, which is once.
 */
export function trimTask({ apiVersion, kind, metadata, spec, status }: Task): Task {
  const { outputs: _outputs, results: _results, ...kept } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: trimMeta(metadata),
    spec: { ...spec, prompt: "" },
    ...(status ? { status: kept } : {}),
  };
}

/** A Job's template is what we made it; only where it stands is looked at. */
export function trimJob({ apiVersion, kind, metadata, spec, status }: Job): Job {
  const { active, startTime, completionTime, conditions } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: trimMeta(metadata),
    spec: { suspend: spec.suspend, template: { spec: { containers: [] } } },
    status: { active, startTime, completionTime, conditions },
  };
}

export function trimPod({ apiVersion, kind, metadata, status }: Pod): Pod {
  const { phase, reason, message, conditions, containerStatuses, initContainerStatuses } = status ?? {};
  const told = conditions?.filter(({ type }) => type === "PodScheduled" || type === "DisruptionTarget");
  const states = (list: typeof containerStatuses) => list?.map(({ name, state }) => ({ name, state }));
  return {
    apiVersion,
    kind,
    metadata: trimMeta(metadata),
    status: {
      ...{ phase, reason, message },
      conditions: told,
      containerStatuses: states(containerStatuses),
      initContainerStatuses: states(initContainerStatuses),
    },
  };
}

export function trimSpec<T extends KubeObject>(object: T): T {
  return { ...object, metadata: trimMeta(object.metadata) };
}

function trimMeta(metadata: ObjectMeta): ObjectMeta {
  const {
    name,
    namespace,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    deletionTimestamp,
    labels,
    ownerReferences,
  } = metadata;
  return {
    ...{ name, namespace, uid, resourceVersion, generation, creationTimestamp },
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(labels === undefined ? {} : { labels }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
  };
}
