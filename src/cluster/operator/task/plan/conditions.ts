import type { Condition } from "../../../../contract/resources/object.ts";

export type ConditionType =
  | "Allowed"
  | "ReferencesResolved"
  | "NameConflict"
  | "JobRejected"
  | "OutputsUnavailable"
  | "OutputsFromLog";

export interface Said {
  type: ConditionType;
  status: boolean;
  reason: string;
  message: string;
}

/** The list with these in it. The time moves only when the status does, so that saying a thing twice changes nothing. */
export function withConditions(
  list: readonly Condition[] | undefined,
  said: readonly Said[],
  now: number,
  generation: number | undefined,
): Condition[] {
  const conditions = new Map((list ?? []).map((condition) => [condition.type, condition]));
  for (const { type, status, reason, message } of said) {
    const before = conditions.get(type);
    const value = status ? "True" : "False";
    const lastTransitionTime = before?.status === value ? before.lastTransitionTime : timestamp(now);
    conditions.set(type, {
      type,
      status: value,
      reason,
      message: message.slice(0, 4096),
      lastTransitionTime,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    });
  }
  return [...conditions.values()];
}

/** Kubernetes' times have no fractions. */
export const timestamp = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
