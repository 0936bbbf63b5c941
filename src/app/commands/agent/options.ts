import type { CommandInput } from "../../../lib/command/command.ts";

/** Of `cox agent start`; here, so that the other verbs don't load a supervisor. */
export const startOptions = {
  k8s: { help: "start: as the supervisor of a pod" },
  local: { help: "start: in a folder of this machine" },
  docker: { help: "start: in a container of --image" },
  image: { value: "IMAGE", help: "start --docker: the image" },
  detach: { short: "d", help: "start: don't attach to its terminal" },
  foreground: { help: "start --local: supervise in this process, with its log on stderr" },
  workspace: { value: "DIR", help: "start, stop: /home/agent/workspace in a pod, else this folder" },
  command: { value: "CMD", help: "start: the agent (claude --dangerously-skip-permissions)" },
  nudge: { value: "TEXT", help: 'start: its first prompt; "" gives none' },
  "max-restarts": { value: "N", help: "start: give up after N starts that failed in a row (10)" },
  grace: { value: "TIME", help: "start: how long it may take to end by itself (25s)" },
  "coop-port": { value: "PORT", help: "start: the terminal's API (8080)" },
  "coop-health-port": { value: "PORT", help: "start: its health, for probes (9090)" },
  "status-port": { value: "PORT", help: "start: the supervisor's own status and metrics (9091)" },
  terminal: { value: "CMD", help: "start: another terminal host with the same API (cox terminal)" },
} as const;

export type StartValues = CommandInput<typeof startOptions>["values"];
