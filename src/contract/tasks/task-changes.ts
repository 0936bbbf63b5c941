import type { AgentEvent } from "../events.ts";
import { advance, phaseOf, type SessionState, starting } from "../sessions/session-state.ts";
import { stateAfter, type TaskChange, type TaskState } from "./task.ts";

/** What a host knows of its task: a run begins with RUN_START, which puts the task in progress. */
export interface ReportedTask {
  readonly state: TaskState;
  readonly session: SessionState;
}

export const justStarted: ReportedTask = { state: "in_progress", session: starting };

export interface RunTerms {
  /** A person looks at each finished turn. `changes`: if there are any, which in a batch run its end knows. */
  review?: boolean | "changes";
  mode?: "batch" | "interactive";
  /** One attempt of several: the loop says when the task has ended. */
  looped?: boolean;
}

/**
 * The transitions that a run's events cause, as they are recorded. A request that was opened and answered within one batch,
 * or that no person decides on, waited for nobody: it is no transition.
 */
export function taskChanges(
  before: ReportedTask,
  events: readonly AgentEvent[],
  terms: RunTerms,
): [ReportedTask, TaskChange[]] {
  let task = before;
  const changes: TaskChange[] = [];
  for (const event of events) {
    const session = advance(task.session, event);
    const change = changeBy(task, event, phaseOf(session) === "waiting", terms);
    task = { state: change?.to ?? task.state, session };
    if (change === undefined) continue;
    if (change.cause === "request_resolved" && changes.at(-1)?.cause === "request_opened") changes.pop();
    else changes.push(change);
  }
  return [task, changes];
}

function changeBy(
  task: ReportedTask,
  event: AgentEvent,
  waiting: boolean,
  { review = false, mode, looped }: RunTerms,
): TaskChange | undefined {
  switch (event.type) {
    case "turn_started":
      return task.state === "in_progress" ? undefined : { to: "in_progress", cause: "turn_started" };
    case "permission_request":
    case "question_request":
      return task.state === "in_progress" && waiting ? { to: "waiting", cause: "request_opened" } : undefined;
    case "request_resolved":
      return task.state === "waiting" && !waiting ? { to: "in_progress", cause: "request_resolved" } : undefined;
    case "complete":
      // A late end of an interrupted turn must not end its successor.
      if (looped || task.session.turn !== event.turn) return undefined;
      if (review === "changes" && mode === "batch") return undefined;
      return { to: stateAfter(event.outcome, review !== false), cause: "complete", reason: event.reason };
    default:
      return undefined;
  }
}
