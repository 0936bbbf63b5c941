import type { ClusterTask } from "../../../src/contract/api/cluster.ts";

export type { ClusterTask };

export const clusterPhaseNames = [
  "Pending",
  "Waiting",
  "Running",
  "Succeeded",
  "Failed",
  "Cancelled",
  "TimedOut",
] as const satisfies readonly ClusterTask["phase"][];

export const isOver = (phase: ClusterTask["phase"]): boolean =>
  phase === "Succeeded" || phase === "Failed" || phase === "Cancelled" || phase === "TimedOut";
