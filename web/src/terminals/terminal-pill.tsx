import { Pill } from "../ui/pill.tsx";

const states = {
  starting: ["Starting", "calm", "clock"],
  working: ["Working", "busy", "play"],
  idle: ["Idle", "look", "eye"],
  prompt: ["Waits for you", "wait", "ask"],
  error: ["Error", "bad", "warn"],
  parked: ["Parked", "calm", "pause"],
  restarting: ["Restarting", "calm", "clock"],
  exited: ["Exited", "calm", "stop"],
} as const;

export function TerminalPill({ state }: { state: string }) {
  const [label, tone, icon] = Object.hasOwn(states, state)
    ? states[state as keyof typeof states]
    : (["Unknown", "calm", "help"] as const);
  return (
    <Pill tone={tone} icon={icon}>
      {label}
    </Pill>
  );
}
