import { isFinalPhase, type Task } from "../../../../contract/resources/task.ts";

/** Tasks with the same value take turns; a Task without a Workspace and branch has none. */
export function lockKeyOf({ metadata, spec }: Task): string | undefined {
  if (spec.branch === undefined || spec.workspaceRef === undefined) return undefined;
  return `${metadata.namespace}/${spec.workspaceRef.name}/${spec.branch}`;
}

/**
 * Who goes before this Task on its branch, if anybody: one that has begun, or one that was created earlier and could begin
 * too. Whoever still waits for dependencies, or for something that is missing, is passed over: it may be waiting for this
 * very Task.
 */
export function goesBefore(
  task: Task,
  others: readonly Task[],
  couldBegin: (other: Task) => boolean,
): Task | undefined {
  const alive = others.filter(
    ({ metadata, status }) =>
      metadata.uid !== task.metadata.uid && !isFinalPhase(status?.phase) && metadata.deletionTimestamp === undefined,
  );
  const begun = alive.find(({ status }) => (status?.attempts ?? 0) > 0);
  if (begun !== undefined) return begun;
  return alive
    .filter(couldBegin)
    .filter((other) => isEarlier(other, task))
    .sort((a, b) => (isEarlier(a, b) ? -1 : 1))[0];
}

/** By creation, then by name: the same order for everybody who looks. */
function isEarlier(a: Task, b: Task): boolean {
  const [timeA = "", timeB = ""] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return timeA === timeB ? a.metadata.name < b.metadata.name : timeA < timeB;
}
