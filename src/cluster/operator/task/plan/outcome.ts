import type { RetryReason } from "../../../../contract/resources/task.ts";
import type { ContainerStatus, Job, Pod, TerminatedState } from "../../../kube/objects.ts";

/** How an attempt ended. */
export interface Ended {
  outcome: "succeeded" | "failed" | "timedOut";
  /** What kind of failure it was, for the retry policy. */
  retryReason: RetryReason | undefined;
  reason: string;
  message: string;
  exitCode: number | undefined;
}

/** Where the Job of an attempt stands. */
export type Attempt =
  | { state: "starting"; reason: string | undefined; message: string | undefined; trouble: Trouble | undefined }
  | { state: "running"; since: string | undefined }
  /** Suspended, and nothing of it runs any more. */
  | { state: "stopped" }
  | { state: "ended"; how: Ended };

/** Why a pod doesn't get going: `hopeless` won't change by waiting, `stuck` may. */
export type Trouble = "hopeless" | "stuck";

/**
 * From the Job's conditions, never from its counts: `active` drops to 0 before `succeeded` is set. The pod only tells why.
 */
export function judge(job: Job, pod: Pod | undefined, container: string): Attempt {
  const conditions = job.status?.conditions ?? [];
  const isTrue = (type: string) =>
    conditions.find((condition) => condition.type === type && condition.status === "True");
  if (isTrue("Complete")) return { state: "ended", how: succeeded(pod, container) };
  const failed = isTrue("Failed");
  if (failed) return { state: "ended", how: failure(failed.reason ?? "", failed.message ?? "", pod, container) };
  if (job.spec.suspend && (job.status?.active ?? 0) === 0 && (pod === undefined || isOver(pod)))
    return { state: "stopped" };
  return pod === undefined
    ? { state: "starting", reason: undefined, message: undefined, trouble: undefined }
    : progress(pod, container);
}

/** The agent's container, if it is over. */
export function terminatedIn(pod: Pod | undefined, container: string): TerminatedState | undefined {
  return pod?.status?.containerStatuses?.find(({ name }) => name === container)?.state?.terminated;
}

export const isOver = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";

function succeeded(pod: Pod | undefined, container: string): Ended {
  const exitCode = terminatedIn(pod, container)?.exitCode ?? 0;
  return { outcome: "succeeded", retryReason: undefined, reason: "Completed", message: "", exitCode };
}

function failure(jobReason: string, jobMessage: string, pod: Pod | undefined, container: string): Ended {
  if (jobReason === "DeadlineExceeded") return timedOut(pod, container);
  if (pod === undefined) {
    return failed("Disrupted", "PodLost", `the pod is gone, and nobody saw its end (${jobReason}: ${jobMessage})`);
  }
  const terminated = terminatedIn(pod, container);
  const exitCode = terminated?.exitCode;
  if (terminated?.reason === "OOMKilled") {
    return failed(
      "OOMKilled",
      "OOMKilled",
      "the agent used more memory than its limit; give it more by podOverrides.resources",
      exitCode,
    );
  }
  const disrupted = disruption(pod);
  if (disrupted !== undefined) return failed("Disrupted", disrupted.reason, disrupted.message, exitCode);
  if (terminated !== undefined) return exited(terminated, container);
  const init = pod.status?.initContainerStatuses?.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  if (init !== undefined) return initFailed(init);
  const waiting = waitingOf(pod);
  return failed("NotStarted", waiting?.reason ?? (jobReason || "Failed"), waiting?.message ?? jobMessage);
}

function failed(retryReason: RetryReason, reason: string, message: string, exitCode?: number): Ended {
  return { outcome: "failed", retryReason, reason, message, exitCode };
}

function exited({ exitCode, reason, message }: TerminatedState, container: string): Ended {
  // The runtime could not even begin: no such file, no rights to run it.
  if (reason === "StartError" || reason === "ContainerCannotRun") {
    return failed("NotStarted", reason, message ?? "the container could not be started", exitCode);
  }
  return failed("Failed", "AgentFailed", `container ${container} ended with exit code ${exitCode}`, exitCode);
}

function initFailed({ name, state }: ContainerStatus): Ended {
  const { exitCode = 1, message = "" } = state?.terminated ?? {};
  const reason = name === "git-clone" ? "WorkspaceFailed" : "InitFailed";
  const said = message.trim() === "" ? "" : `: ${message.trim().slice(-1000)}`;
  return failed("NotStarted", reason, `init container ${name} ended with exit code ${exitCode}${said}`, exitCode);
}

function timedOut(pod: Pod | undefined, container: string): Ended {
  const waiting = pod && waitingOf(pod);
  const why = waiting === undefined ? "" : ` It never started: ${waiting.reason}: ${waiting.message}`;
  return {
    outcome: "timedOut",
    retryReason: "TimedOut",
    reason: "DeadlineExceeded",
    message: `the time it was given is over.${why}`,
    exitCode: terminatedIn(pod, container)?.exitCode,
  };
}

/** Taken away by the cluster, not ended by what it did. */
function disruption({ status }: Pod): { reason: string; message: string } | undefined {
  if (status?.reason === "Evicted") return { reason: "Evicted", message: status.message ?? "the pod was evicted" };
  const target = status?.conditions?.find(({ type, status: value }) => type === "DisruptionTarget" && value === "True");
  if (target !== undefined)
    return { reason: target.reason ?? "Disrupted", message: target.message ?? "the pod was taken away" };
  if (
    status?.reason === "NodeLost" ||
    status?.reason === "NodeAffinity" ||
    status?.reason === "Shutdown" ||
    status?.reason === "Terminated"
  ) {
    return { reason: status.reason, message: status.message ?? "the node went away" };
  }
  return undefined;
}

function progress(pod: Pod, container: string): Attempt {
  const agent = pod.status?.containerStatuses?.find(({ name }) => name === container)?.state;
  if (agent?.running) return { state: "running", since: agent.running.startedAt };
  if (agent?.terminated) return { state: "running", since: agent.terminated.startedAt ?? undefined };
  const waiting = waitingOf(pod);
  return {
    state: "starting",
    reason: waiting?.reason,
    message: waiting?.message,
    trouble: waiting && troubleOf(waiting.reason),
  };
}

/** Why the pod waits: its place, or the first container that has a complaint. */
function waitingOf({ status }: Pod): { reason: string; message: string } | undefined {
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False")
    return { reason: scheduled.reason ?? "Unschedulable", message: scheduled.message ?? "" };
  for (const { name, state } of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const { reason, message = "" } = state?.waiting ?? {};
    if (reason !== undefined && !ORDINARY.has(reason)) return { reason, message: `container ${name}: ${message}` };
  }
  return undefined;
}

const ORDINARY = new Set(["ContainerCreating", "PodInitializing"]);
const HOPELESS = new Set(["InvalidImageName", "ErrImageNeverPull"]);
const STUCK = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "ImageInspectError",
  "RegistryUnavailable",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
]);

function troubleOf(reason: string): Trouble | undefined {
  if (HOPELESS.has(reason)) return "hopeless";
  return STUCK.has(reason) ? "stuck" : undefined;
}
