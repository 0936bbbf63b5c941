import { type BusMessage, lifecycleId } from "../bus.ts";

export const taskStates = [
  "todo",
  "queued",
  "blocked",
  "in_progress",
  "waiting",
  "review",
  "done",
  "failed",
  "cancelled",
] as const;
export type TaskState = (typeof taskStates)[number];

/** Every transition has one cause. */
export const taskCauses = [
  "created",
  "enqueue",
  "dequeue",
  "block",
  "unblock",
  "start",
  "resume",
  "turn_started",
  "request_opened",
  "request_resolved",
  "complete",
  "run_ended",
  "stop",
  "finish",
  "send_back",
  "cancel",
  "fail",
  "skip",
] as const;
export type TaskCause = (typeof taskCauses)[number];

type Moves = Partial<Record<TaskCause, readonly TaskState[]>>;

const given = { finish: ["done"], cancel: ["cancelled"], fail: ["failed"], skip: ["cancelled"] } as const;
const begun = { start: ["in_progress"], resume: ["in_progress"], turn_started: ["in_progress"] } as const;
const ended = ["review", "done", "failed", "todo"] as const;

/** From here, by this cause, to there. What is not in the table does not happen: so the order in the file settles races. */
const transitions: Readonly<Record<TaskState, Moves>> = {
  todo: { ...given, ...begun, created: ["todo"], enqueue: ["queued"], block: ["blocked"] },
  queued: { ...given, ...begun, block: ["blocked"], dequeue: ["todo"] },
  // Blocked again by something else: the reason changes.
  blocked: { ...given, ...begun, block: ["blocked"], unblock: ["queued"], dequeue: ["todo"] },
  in_progress: {
    request_opened: ["waiting"],
    complete: ended,
    run_ended: ended,
    stop: ["todo"],
    cancel: ["cancelled"],
    fail: ["failed"],
  },
  waiting: {
    request_resolved: ["in_progress"],
    turn_started: ["in_progress"],
    complete: ended,
    run_ended: ended,
    stop: ["todo"],
    cancel: ["cancelled"],
    fail: ["failed"],
  },
  // A run that is stopped in the middle of a turn ends that turn first. Nothing is to be reviewed then, and nothing failed; nor
  // is there anything to review of a run that has changed nothing.
  review: { ...given, ...begun, enqueue: ["queued"], send_back: ["todo"], run_ended: ["todo", "done"] },
  done: { ...begun, enqueue: ["queued"], send_back: ["todo"] },
  failed: {
    ...begun,
    enqueue: ["queued"],
    send_back: ["todo"],
    finish: ["done"],
    cancel: ["cancelled"],
    run_ended: ["todo"],
  },
  cancelled: {},
};

/** Where this cause may lead; nowhere when it doesn't apply. */
export const movesFrom = (state: TaskState, cause: TaskCause): readonly TaskState[] => transitions[state][cause] ?? [];

export type TurnOutcome = "completed" | "interrupted" | "failed";

/**
 * Where the end of a turn or run leaves its task. Under review a person looks at it however it ended, except when a person
 * ended it: a stopped task is as it was before, with its run kept to go on from.
 */
export function stateAfter(outcome: TurnOutcome | "stopped", review: boolean): TaskState {
  if (outcome === "stopped") return "todo";
  if (review) return "review";
  if (outcome === "completed") return "done";
  return outcome === "failed" ? "failed" : "todo";
}

/** The `data` of a TASK_STATE record. */
export interface TaskChange {
  to: TaskState;
  cause: TaskCause;
  by?: string;
  /** The run whose event caused it; a person's change has none. */
  run?: string;
  reason?: string;
}

/** Where a task stands, folded from the lifecycle records on its bus. */
export interface TaskProgress {
  state: TaskState;
  cause: TaskCause;
  since: string;
  by: string;
  reason: string;
  /** The run that leads the task, or led it last. */
  run: string;
  live: boolean;
  /** Whether that run's end is for a person to judge. */
  review: boolean;
  runs: number;
  title: string;
  /** Somebody made it, so that it is to be done; otherwise it is only what a run was for. */
  made: boolean;
}

export const untouched: TaskProgress = {
  state: "todo",
  cause: "created",
  since: "",
  by: "",
  reason: "",
  run: "",
  live: false,
  review: false,
  runs: 0,
  title: "",
  made: false,
};

export function advanceTask(progress: TaskProgress, message: BusMessage): TaskProgress {
  switch (message.type) {
    case "RUN_START":
      return message.id === lifecycleId(message.run, "start") ? runStarted(progress, message) : progress;
    case "RUN_STOP":
    case "RUN_CRASH":
      return message.id === lifecycleId(message.run, "stop") ? runEnded(progress, message) : progress;
    case "TASK_STATE":
      return changed(progress, message);
    default:
      return progress;
  }
}

/** A run started later takes the lead, unless the leading run started it: the end of a child is not the end of the task. */
function runStarted(progress: TaskProgress, message: BusMessage): TaskProgress {
  const { parent, resumed, review, title } = message.data ?? {};
  const counted = { ...progress, runs: progress.runs + 1 };
  if (progress.live && typeof parent === "string" && parent !== "") return counted;
  const led = { ...counted, run: message.run, live: true, review: review === true || review === "changes" };
  if (led.title === "" && typeof title === "string") led.title = title;
  return move(led, message, { to: "in_progress", cause: resumed === true ? "resume" : "start" });
}

function runEnded(progress: TaskProgress, message: BusMessage): TaskProgress {
  if (message.run !== progress.run) return progress;
  const { reason, more, unchanged, error } = message.data ?? {};
  const over = { ...progress, live: false };
  // In a restart loop the next attempt follows; the loop says when the task has ended.
  if (more === true) return over;
  const outcome = message.type === "RUN_STOP" ? "completed" : reason === "stopped" ? "stopped" : "failed";
  const to = stateAfter(outcome, progress.review && unchanged !== true);
  return move(over, message, { to, cause: "run_ended", reason: typeof error === "string" ? error : undefined });
}

function changed(progress: TaskProgress, message: BusMessage): TaskProgress {
  const change = changeFrom(message.data);
  if (change === undefined) return progress;
  if (change.run !== undefined && progress.live && change.run !== progress.run) return progress;
  return move(progress, message, change);
}

function move(progress: TaskProgress, { time }: BusMessage, change: TaskChange): TaskProgress {
  const { to, cause, by = "", reason = "" } = change;
  if (!movesFrom(progress.state, cause).includes(to)) return progress;
  // What nobody has put on a list doesn't get there by being interrupted.
  const isGivenUp = to === "todo" && !progress.made && endings.has(cause);
  if (isGivenUp && progress.state === "failed" && progress.cause === "stop") return progress;
  const moved = { ...progress, cause, since: time, by, made: progress.made || cause === "created" };
  return isGivenUp ? { ...moved, state: "failed", reason: reason || "stopped" } : { ...moved, state: to, reason };
}

const endings: ReadonlySet<TaskCause> = new Set(["complete", "run_ended", "stop"]);

function changeFrom(data: BusMessage["data"]): TaskChange | undefined {
  const to = taskStates.find((state) => state === data?.to);
  const cause = taskCauses.find((cause) => cause === data?.cause);
  if (to === undefined || cause === undefined) return undefined;
  const optional = (value: unknown) => (typeof value === "string" ? value : undefined);
  return { to, cause, by: optional(data?.by), run: optional(data?.run), reason: optional(data?.reason) };
}

/** What lists show of a task. */
export interface TaskSummary extends Omit<TaskProgress, "title" | "made"> {
  project: string;
  task: string;
  title: string;
  agent: string;
  priority: number;
  depends_on: readonly string[];
  created: string;
}
