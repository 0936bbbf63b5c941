import type { Task } from "../../../../contract/resources/task.ts";

/** When a finished Task may go: milliseconds since the epoch, or never. */
export function expiryOf({ spec, status }: Task): number | undefined {
  const phase = status?.phase;
  const byPhase =
    phase === "Succeeded" || phase === "Failed" || phase === "Cancelled" || phase === "TimedOut"
      ? spec.ttlSecondsByPhase?.[phase]
      : undefined;
  const seconds = byPhase ?? spec.ttlSecondsAfterFinished;
  if (seconds === undefined || status?.completionTime === undefined) return undefined;
  return Date.parse(status.completionTime) + seconds * 1000;
}
