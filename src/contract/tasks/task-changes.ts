import type { AgentEvent } from "../events.ts";
import { decide, decideQuestion, type Policy } from "../requests/policy.ts";
import { nothingOpen, type OpenItems, track } from "../runs/open-items.ts";
import { stateAfter, type TaskChange, type TaskState } from "./task.ts";

/** What a host knows of its task: a run begins with RUN_START, which puts the task in progress. */
export interface ReportedTask {
  readonly state: TaskState;
  readonly open: OpenItems;
  /** Requests that wait for a person. */
  readonly asked: ReadonlySet<string>;
}

export const justStarted: ReportedTask = { state: "in_progress", open: nothingOpen, asked: new Set() };

export interface RunTerms {
  /** A person looks at each finished turn. */
  review?: boolean;
  /** One attempt of several: the loop says when the task has ended. */
  looped?: boolean;
  policy: Policy;
}

/**
 * The transitions that a run's events cause, as they are recorded. A request that was opened and answered within one batch,
 * or that the policy decides, waited for nobody: it is no transition.
 */
export function taskChanges(
  before: ReportedTask,
  events: readonly AgentEvent[],
  terms: RunTerms,
): [ReportedTask, TaskChange[]] {
  let task = before;
  const changes: TaskChange[] = [];
  for (const event of events) {
    const asked = askedAfter(task.asked, event, terms.policy);
    const change = changeBy(task, event, asked, terms);
    const open = track(task.open, event);
    task = { state: change?.to ?? task.state, open, asked };
    if (change === undefined) continue;
    if (change.cause === "request_resolved" && changes.at(-1)?.cause === "request_opened") changes.pop();
    else changes.push(change);
  }
  return [task, changes];
}

function changeBy(
  task: ReportedTask,
  event: AgentEvent,
  asked: ReadonlySet<string>,
  { review = false, looped }: RunTerms,
): TaskChange | undefined {
  switch (event.type) {
    case "turn_started":
      return task.state === "in_progress" ? undefined : { to: "in_progress", cause: "turn_started" };
    case "permission_request":
    case "question_request":
      return task.state === "in_progress" && asked.size > 0 ? { to: "waiting", cause: "request_opened" } : undefined;
    case "request_resolved":
      return task.state === "waiting" && asked.size === 0
        ? { to: "in_progress", cause: "request_resolved" }
        : undefined;
    case "complete":
      // A late end of an interrupted turn must not end its successor.
      if (looped || task.open.turn !== event.turn) return undefined;
      return { to: stateAfter(event.outcome, review), cause: "complete", reason: event.reason };
    default:
      return undefined;
  }
}

function askedAfter(asked: ReadonlySet<string>, event: AgentEvent, policy: Policy): ReadonlySet<string> {
  switch (event.type) {
    case "permission_request":
      return decide(policy, event).do === "ask" ? new Set(asked).add(event.pendingId) : asked;
    case "question_request":
      return decideQuestion(policy).do === "ask" ? new Set(asked).add(event.pendingId) : asked;
    case "request_resolved":
      return new Set([...asked].filter((id) => id !== event.pendingId));
    default:
      return asked;
  }
}
