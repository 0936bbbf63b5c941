export const taskPhases = ["Pending", "Waiting", "Running", "Succeeded", "Failed", "Cancelled", "TimedOut"] as const;
export type TaskPhase = (typeof taskPhases)[number];

const finalPhases: readonly TaskPhase[] = ["Succeeded", "Failed", "Cancelled", "TimedOut"];
export const isFinalPhase = (phase: TaskPhase | undefined): boolean =>
  phase !== undefined && finalPhases.includes(phase);
