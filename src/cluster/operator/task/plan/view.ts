import type { TaskUsage } from "../../../../contract/outputs/outputs.ts";
import type { Task, TaskStatus } from "../../../../contract/resources/task.ts";
import type { Backoff } from "../../../../lib/base/backoff.ts";
import type { Job, Pod } from "../../../kube/objects.ts";
import type { Said } from "./conditions.ts";
import type { Dependency } from "./dependencies.ts";

/** Something a Task refers to that is not as it must be. `denied`: no waiting will change it. */
export interface Problem {
  reason: string;
  message: string;
  denied: boolean;
}

/** What an attempt left behind. */
export interface Collected {
  outputs: readonly string[];
  results: Readonly<Record<string, string>>;
  usage: TaskUsage | undefined;
  said: readonly Said[];
  /** What its image said went wrong. */
  failure: string | undefined;
}

/** The API server did not take the Job. `denied`: it never will. */
export interface Refusal extends Problem {
  condition: "NameConflict" | "JobRejected";
}

/** Everything a decision about a Task needs. The optional part is what the plan asks to be looked up. */
export interface TaskView {
  task: Task;
  /** Its newest Job, by attempt. */
  job: Job | undefined;
  /** The newest pod of that Job, as last seen, even if it is gone by now. */
  pod: Pod | undefined;
  dependencies: readonly Dependency[];
  /** Tasks that depend on each other, this one among them. */
  cycle: readonly string[] | undefined;
  /** Who goes before it on its branch. */
  before: string | undefined;
  needsLock: boolean;
  /** Whether somebody who hasn't finished depends on it. */
  hasDependents: boolean;
  problems?: readonly Problem[];
  lock?: "held" | { by: string };
  jobIsGone?: boolean;
  collected?: Collected;
  refusal?: Refusal;
}

export interface PlanOptions {
  now: number;
  startTimeoutMs: number;
  retryBackoff: Backoff;
}

/** A field that is `undefined` goes away. */
export type StatusChange = { [K in keyof TaskStatus]?: TaskStatus[K] | undefined };

export type Action =
  | { do: "report"; status: StatusChange }
  /** Look at the Workspace, AgentConfigs and Secrets: fills in `problems`. */
  | { do: "check" }
  /** Take the branch: fills in `lock`. */
  | { do: "lock" }
  /** Make the Job of this attempt: fills in `job` or `refusal`. */
  | { do: "start"; attempt: number }
  /** A Job we know of is not in the cache: ask the API server. Fills in `job` or `jobIsGone`. */
  | { do: "findJob"; name: string }
  /** Read what the attempt left behind: fills in `collected`. */
  | { do: "collect" }
  /** The job controller ends the pod, with its grace. */
  | { do: "suspend"; job: string }
  | { do: "delete" }
  /** Look again after this time at the latest. */
  | { do: "wait"; ms: number };
