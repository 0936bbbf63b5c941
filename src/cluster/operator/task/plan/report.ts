import type { TaskPhase } from "../../../../contract/resources/task.ts";
import { timestamp } from "./conditions.ts";
import type { Action, PlanOptions, StatusChange, TaskView } from "./view.ts";

/** A status that may change again. */
export function hold(
  { task }: TaskView,
  phase: TaskPhase,
  reason: string | undefined,
  message: string | undefined,
  more: StatusChange = {},
): Action {
  return { do: "report", status: { phase, reason, message, observedGeneration: task.metadata.generation, ...more } };
}

/** The last status. */
export function finish(
  view: TaskView,
  phase: TaskPhase,
  reason: string,
  message: string,
  { now }: PlanOptions,
  more: StatusChange = {},
): Action {
  return hold(view, phase, reason, message === "" ? undefined : message.slice(0, 4096), {
    completionTime: timestamp(now),
    ...more,
  });
}
