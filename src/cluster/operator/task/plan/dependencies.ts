import type { Task, TaskPhase } from "../../../../contract/resources/task.ts";

/** A dependency as it is now; `undefined` where there is no such Task. */
export type Dependency = { name: string; uid: string; phase: TaskPhase | undefined } | { name: string; uid: undefined };

export type DependencyVerdict =
  | { may: "start" }
  | { may: "wait"; reason: string; message: string }
  | { may: "fail"; reason: string; message: string };

/**
 * Whether a Task may start, by what it depends on. One that failed decides at once, also while others run. One that was seen
 * and is gone now can't succeed any more; one that was never seen may still be created.
 */
export function judgeDependencies(task: Task, dependencies: readonly Dependency[]): DependencyVerdict {
  const seen = new Map((task.status?.dependencies ?? []).map(({ name, uid, phase }) => [name, { uid, phase }]));
  const waiting: string[] = [];
  for (const dependency of dependencies) {
    const before = seen.get(dependency.name);
    if (dependency.uid === undefined) {
      if (before !== undefined) return deleted(dependency.name, before.phase);
      waiting.push(`${dependency.name} (does not exist yet)`);
    } else if (before !== undefined && before.uid !== dependency.uid) {
      return deleted(dependency.name, before.phase);
    } else if (dependency.phase !== "Succeeded") {
      if (isFailed(dependency.phase)) {
        const message = `dependency ${dependency.name} ended as ${dependency.phase}`;
        return { may: "fail", reason: "DependencyFailed", message };
      }
      waiting.push(dependency.name);
    }
  }
  if (waiting.length === 0) return { may: "start" };
  return { may: "wait", reason: "WaitingForDependencies", message: `waits for ${waiting.join(", ")}` };
}

function deleted(name: string, phase: string): DependencyVerdict {
  return {
    may: "fail",
    reason: "DependencyDeleted",
    message: `dependency ${name} was deleted (it was ${phase}); its results are gone with it`,
  };
}

const isFailed = (phase: TaskPhase | undefined): phase is TaskPhase =>
  phase === "Failed" || phase === "Cancelled" || phase === "TimedOut";

/** What to remember of them: that they were there, and how they stood. */
export function seenDependencies(dependencies: readonly Dependency[]) {
  return dependencies.flatMap((dependency) =>
    dependency.uid === undefined
      ? []
      : [{ name: dependency.name, uid: dependency.uid, phase: dependency.phase ?? "Pending" }],
  );
}
