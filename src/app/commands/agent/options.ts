import type { CommandInput } from "../../../lib/command/command.ts";

export const workspace = { value: "DIR", help: "/home/agent/workspace in a pod, else this folder" } as const;

/** Of `cox agent start`; here, so that the other verbs don't load a supervisor. */
export const startOptions = {
  k8s: { help: "as the supervisor of a pod" },
  local: { help: "in a folder of this machine" },
  docker: { help: "in a container of --image" },
  image: { value: "IMAGE", help: "--docker: the image" },
  detach: { short: "d", help: "don't attach to its terminal" },
  foreground: { help: "--local: supervise in this process, with its log on stderr" },
  workspace,
  command: { value: "CMD", help: "the agent (claude --dangerously-skip-permissions)" },
  nudge: { value: "TEXT", help: 'its first prompt; "" gives none' },
  "max-restarts": { value: "N", help: "give up after N starts that failed in a row (10)" },
  grace: { value: "TIME", help: "how long it may take to end by itself (25s)" },
  "coop-port": { value: "PORT", help: "the terminal's API (8080)" },
  "coop-health-port": { value: "PORT", help: "its health, for probes (9090)" },
  "status-port": { value: "PORT", help: "the supervisor's own status and metrics (9091)" },
  terminal: { value: "CMD", help: "another terminal host with the same API (cox terminal)" },
} as const;

export type StartValues = CommandInput<typeof startOptions>["values"];
