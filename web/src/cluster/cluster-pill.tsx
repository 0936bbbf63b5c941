import type { ClusterTask } from "../../../src/contract/api/cluster.ts";
import { Pill } from "../ui/pill.tsx";

const phases = {
  "": ["New", "calm", "clock"],
  Pending: ["Pending", "calm", "clock"],
  Waiting: ["Waiting", "calm", "lock"],
  Running: ["Running", "busy", "play"],
  Succeeded: ["Succeeded", "good", "check"],
  Failed: ["Failed", "bad", "warn"],
  Cancelled: ["Cancelled", "calm", "cross"],
  TimedOut: ["Timed out", "bad", "clock"],
} as const;

export function ClusterPill({ phase }: { phase: ClusterTask["phase"] }) {
  const [label, tone, icon] = phases[phase];
  return (
    <Pill tone={tone} icon={icon}>
      {label}
    </Pill>
  );
}
