/** What `cox gc` goes by. Without any, nothing is deleted. */
export interface GcLimits {
  olderThanMs?: number;
  /** So many of the newest stay. */
  keep?: number;
  /** All that stay together. */
  maxBytes?: number;
}

export interface FinishedRun {
  run_id: string;
  project: string;
  task: string;
  endedAt: number;
  bytes: number;
}

export interface Doomed<R extends FinishedRun> {
  run: R;
  why: "old" | "count" | "size";
}

/** Which finished runs go. Each limit is enough on its own; the oldest go first. */
export function planGc<R extends FinishedRun>(runs: readonly R[], limits: GcLimits, now: number): Doomed<R>[] {
  const newest = [...runs].sort((a, b) => b.endedAt - a.endedAt || (a.run_id < b.run_id ? 1 : -1));
  const doomed: Doomed<R>[] = [];
  let kept = 0;
  let bytes = 0;
  let full = false;
  for (const run of newest) {
    const why = reasonFor(run);
    if (why !== undefined) doomed.push({ run, why });
    else {
      kept += 1;
      bytes += run.bytes;
    }
  }
  return doomed.toReversed();

  function reasonFor(run: R): Doomed<R>["why"] | undefined {
    if (limits.olderThanMs !== undefined && now - run.endedAt > limits.olderThanMs) return "old";
    if (limits.keep !== undefined && kept >= limits.keep) return "count";
    // What is older than one that no longer fits goes too, or small old runs would outlive large new ones.
    full ||= limits.maxBytes !== undefined && bytes + run.bytes > limits.maxBytes;
    return full ? "size" : undefined;
  }
}
