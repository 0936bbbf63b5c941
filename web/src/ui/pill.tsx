import type { RunReason, RunStatus } from "../../../src/contract/runs/run.ts";
import type { TaskState } from "../../../src/contract/tasks/task.ts";
import { Icon, type IconName } from "./icon.tsx";

type Tone = "calm" | "busy" | "wait" | "look" | "good" | "bad";

/** Icon and word besides the colour: colour alone says nothing to many. */
const states: Readonly<Record<TaskState, { label: string; tone: Tone; icon: IconName }>> = {
  todo: { label: "To do", tone: "calm", icon: "todo" },
  queued: { label: "Queued", tone: "calm", icon: "clock" },
  blocked: { label: "Blocked", tone: "calm", icon: "lock" },
  in_progress: { label: "Working", tone: "busy", icon: "play" },
  waiting: { label: "Waits for you", tone: "wait", icon: "ask" },
  review: { label: "Review", tone: "look", icon: "eye" },
  done: { label: "Done", tone: "good", icon: "check" },
  failed: { label: "Failed", tone: "bad", icon: "warn" },
  cancelled: { label: "Cancelled", tone: "calm", icon: "cross" },
};

export const stateLabel = (state: TaskState): string => states[state].label;

export function StatePill({ state }: { state: TaskState }) {
  const { label, tone, icon } = states[state];
  return (
    <Pill tone={tone} icon={icon}>
      {label}
    </Pill>
  );
}

const phases = {
  starting: { label: "Starting", tone: "calm", icon: "clock" },
  idle: { label: "Your turn", tone: "look", icon: "eye" },
  working: { label: "Working", tone: "busy", icon: "play" },
  waiting: { label: "Waits for you", tone: "wait", icon: "ask" },
  closed: { label: "Ended", tone: "calm", icon: "stop" },
} as const;

export function PhasePill({ phase }: { phase: keyof typeof phases }) {
  const { label, tone, icon } = phases[phase];
  return (
    <Pill tone={tone} icon={icon}>
      {label}
    </Pill>
  );
}

const reasons: Readonly<Record<RunReason, string>> = {
  exit_code: "Failed",
  signal: "Killed",
  turn_failed: "Failed",
  timeout: "Timed out",
  idle_timeout: "Fell silent",
  stopped: "Stopped",
  budget: "Budget spent",
  spawn_failed: "Could not start",
  invalid: "Refused",
  internal: "Internal error",
  host_lost: "Lost",
};

/** How a run ended, or that it didn't yet. */
export function EndPill({ end }: { end: { status: RunStatus; reason: RunReason | "" } | undefined }) {
  if (end === undefined || end.status === "running")
    return (
      <Pill tone="busy" icon="play">
        Live
      </Pill>
    );
  if (end.reason === "" || end.status === "completed") return <Pill tone="good">Completed</Pill>;
  return <Pill tone={end.reason === "stopped" ? "calm" : "bad"}>{reasons[end.reason]}</Pill>;
}

export function Pill({ tone, icon, children }: { tone: Tone; icon?: IconName; children: string }) {
  return (
    <span className={`pill ${tone}`}>
      {icon && <Icon name={icon} size={12} />}
      {children}
    </span>
  );
}
