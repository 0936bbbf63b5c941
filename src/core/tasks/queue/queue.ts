/** A task that waits for its turn. */
export interface Waiting {
  /** Later entries sort after earlier ones. */
  order: string;
  project: string;
  priority: number;
}

export interface QueueLimits {
  maxConcurrent: number;
}

/**
 * Who starts next, if anybody: the highest priority first; among equals each project in turn, so that a hundred tasks of one
 * don't keep the other waiting; within a project the one that came first. `recent` names the projects of the latest starts,
 * oldest first.
 */
export function pickNext<T extends Waiting>(
  waiting: readonly T[],
  running: readonly { project: string }[],
  recent: readonly string[],
  { maxConcurrent }: QueueLimits,
): T | undefined {
  if (running.length >= maxConcurrent) return undefined;
  const busy = countBy(running);
  const lastTurn = new Map(recent.map((project, index) => [project, index]));
  const goesBefore = (a: T, b: T): number =>
    b.priority - a.priority ||
    (busy.get(a.project) ?? 0) - (busy.get(b.project) ?? 0) ||
    (lastTurn.get(a.project) ?? -1) - (lastTurn.get(b.project) ?? -1) ||
    (a.order < b.order ? -1 : 1);
  return waiting.reduce<T | undefined>(
    (best, entry) => (best === undefined || goesBefore(entry, best) < 0 ? entry : best),
    undefined,
  );
}

/** All of them in the order they would start if each ended at once: what people see as their position. */
export function inOrder<T extends Waiting>(
  waiting: readonly T[],
  running: readonly { project: string }[],
  recent: readonly string[],
): T[] {
  const left = [...waiting];
  const turns = [...recent, ...running.map(({ project }) => project)];
  const order: T[] = [];
  for (;;) {
    const next = pickNext(left, [], turns, { maxConcurrent: 1 });
    if (next === undefined) return order;
    order.push(next);
    turns.push(next.project);
    left.splice(left.indexOf(next), 1);
  }
}

function countBy(running: readonly { project: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { project } of running) counts.set(project, (counts.get(project) ?? 0) + 1);
  return counts;
}
