import { API_VERSION, LABELS } from "../../../contract/resources/names.ts";
import type { Task, TaskSpec, TaskStatus } from "../../../contract/resources/task.ts";
import type { Job, Pod, TerminatedState } from "../../kube/objects.ts";
import type { PlanOptions, TaskView } from "./plan/view.ts";

/** Objects as the API server would give them, for tables. */

export const NOW = Date.parse("2026-06-01T12:00:00Z");
export const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString().replace(".000Z", "Z");
export const options: PlanOptions = {
  now: NOW,
  startTimeoutMs: 600_000,
  retryBackoff: { base: 10_000, factor: 2, cap: 60_000 },
};

export function aTask(spec: Partial<TaskSpec> = {}, status?: TaskStatus): Task {
  return {
    apiVersion: API_VERSION,
    kind: "Task",
    metadata: {
      name: "fix",
      namespace: "ns",
      uid: "task-uid",
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: at(-60),
    },
    spec: { type: "codex", prompt: "", credentials: { type: "none" }, ...spec },
    ...(status ? { status } : {}),
  };
}

export function aJob(
  condition?: { type: string; reason?: string; message?: string },
  more: { attempt?: number; suspend?: boolean; active?: number } = {},
): Job {
  const { attempt = 1, suspend, active = 0 } = more;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: attempt === 1 ? "fix" : `fix-try-${attempt}`,
      namespace: "ns",
      uid: `job-${attempt}`,
      creationTimestamp: at(-50),
      labels: { [LABELS.task]: "fix", [LABELS.attempt]: String(attempt) },
      ownerReferences: [{ apiVersion: API_VERSION, kind: "Task", name: "fix", uid: "task-uid" }],
    },
    spec: { suspend, template: { spec: { containers: [] } } },
    status: { active, conditions: condition ? [{ status: "True", ...condition }] : [] },
  };
}

type Status = NonNullable<Pod["status"]>;

export function aPod(status: Status = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "fix-abc", namespace: "ns", creationTimestamp: at(-40) },
    status,
  };
}

export const running = (): Pod =>
  aPod({ phase: "Running", containerStatuses: [{ name: "codex", state: { running: { startedAt: at(-30) } } }] });

export const terminated = (state: Partial<TerminatedState> = {}, more: Status = {}): Pod =>
  aPod({
    phase: state.exitCode === 0 ? "Succeeded" : "Failed",
    containerStatuses: [
      { name: "codex", state: { terminated: { exitCode: 1, startedAt: at(-30), finishedAt: at(-1), ...state } } },
    ],
    ...more,
  });

export const waiting = (reason: string, message = ""): Pod =>
  aPod({ phase: "Pending", containerStatuses: [{ name: "codex", state: { waiting: { reason, message } } }] });

export function aView(view: Partial<TaskView> = {}): TaskView {
  return {
    task: aTask(),
    job: undefined,
    pod: undefined,
    dependencies: [],
    cycle: undefined,
    before: undefined,
    needsLock: false,
    hasDependents: false,
    ...view,
  };
}
