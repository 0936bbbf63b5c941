import { basename, join, resolve } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { splitCommand } from "./command-line.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line may say; everything else comes from the environment. */
export interface Flags {
  workspace?: string;
  port?: string;
  healthPort?: string;
  statusPort?: string;
  maxRestarts?: string;
  command?: string;
  nudge?: string;
  terminal?: string;
  graceMs?: number;
}

/** Where the agent lives: a pod has a home of its own, a person's machine gets a private one in our state. */
export interface Where {
  /** `~` of the agent. */
  home: string;
  /** Survives restarts. In a pod a part of the workspace's volume. */
  state: string;
  /** A person's folder: its branch and changes are theirs. */
  keepBranch: boolean;
  /** Listens beyond loopback. */
  reachable: boolean;
  /** Our own state, which the agent finds as `~/.coxswain`: its messages, above all. */
  coxHome: string;
  /** The person's own git configuration, which a private home would hide. */
  personsGitConfig?: string;
}

export interface Settings extends Where {
  workspace: string;
  command: readonly [string, ...string[]];
  /** The terminal host's program; any that speaks its HTTP API. */
  terminal: readonly [string, ...string[]];
  /** Which driver the terminal host should use; `undefined` leaves it to the host. */
  kind: "claude" | "codex" | "gemini" | undefined;
  port: number;
  healthPort: number;
  statusPort: number;
  maxRestarts: number;
  graceMs: number;
  /** "" sends none. */
  nudge: string;
  resume: boolean;
  role: string;
  agent: string;
  project: string;
  hostname: string;
  podIp: string;
  hub: { url: string; token: string | undefined } | undefined;
  daemon: { url: string; token: string | undefined } | undefined;
  /** The entry of the daemon that stands for this agent. */
  beadId: string | undefined;
  platformVersionFile: string;
  secretFile: string;
  hooksFolder: string;
  goFolder: string;
  oauthUrl: string;
  pace: Pace;
}

/** Where the numbers of the document that this follows are not ours, whoever wants its own can have them. */
export interface Pace {
  /** The longest wait before the agent is started again. */
  restartMs: number;
  /** Before the login is looked at for the first time. */
  refreshDelayMs: number;
  /** A login that ends at this time or later is renewed by somebody else. */
  managedFrom: number;
  /** How long the hub may take to hear our goodbye. */
  goodbyeMs: number;
  /** Between two looks at the agent. */
  lookMs: number;
}

export const OUR_PACE: Pace = {
  restartMs: 30_000,
  refreshDelayMs: 0,
  // What terminal hosts write. Real times have the same number of digits, but are smaller.
  managedFrom: 9_999_999_999_000,
  goodbyeMs: 3000,
  lookMs: 1000,
};

export const DEFAULT_COMMAND = "claude --dangerously-skip-permissions";
export const DEFAULT_NUDGE =
  "Read CLAUDE.md for your role, check for messages and open work, and begin with what comes next.";
const DEFAULT_WORKSPACE = "/home/agent/workspace";

/** Pure: the same flags and environment give the same settings. `terminal` is the host that ships with us. */
export function readSettings(
  flags: Flags,
  env: Environment,
  where: Where,
  terminal: readonly [string, ...string[]],
): Settings {
  const command = splitCommand(flags.command ?? (env.BOAT_COMMAND || DEFAULT_COMMAND));
  const role = env.BOAT_ROLE || "unknown";
  const ownTerminal = flags.terminal ?? env.BOAT_TERMINAL;
  return {
    ...where,
    workspace: workspaceOf(flags),
    command,
    terminal: ownTerminal ? splitCommand(ownTerminal) : terminal,
    kind: kindOf(env.COOP_AGENT || basename(command[0])),
    port: portOf("--coop-port", flags.port, 8080),
    healthPort: portOf("--coop-health-port", flags.healthPort, 9090),
    statusPort: portOf("--status-port", flags.statusPort ?? env.BOAT_STATUS_PORT, 9091),
    maxRestarts: countOf("--max-restarts", given(flags.maxRestarts) ?? given(env.COOP_MAX_RESTARTS)) ?? 10,
    graceMs: flags.graceMs ?? DEFAULT_GRACE_MS,
    nudge: flags.nudge ?? env.BOAT_NUDGE ?? DEFAULT_NUDGE,
    resume: (env.BOAT_SESSION_RESUME ?? "1") === "1",
    role,
    agent: env.BOAT_AGENT || "unknown",
    project: env.BOAT_PROJECT ?? "",
    hostname: env.HOSTNAME || "localhost",
    podIp: env.POD_IP || "localhost",
    hub: hubOf(env),
    daemon: env.BEADS_DAEMON_HOST
      ? { url: daemonUrl(env.BEADS_DAEMON_HOST, env.BEADS_DAEMON_HTTP_PORT || "9080"), token: env.BEADS_DAEMON_TOKEN }
      : undefined,
    beadId: env.KD_AGENT_ID || env.BOAT_AGENT_BEAD_ID || undefined,
    platformVersionFile: env.BOAT_PLATFORM_VERSION_FILE || "/etc/platform-version",
    secretFile: env.BOAT_CREDENTIALS_FILE || "/tmp/claude-credentials/credentials.json",
    hooksFolder: env.BOAT_HOOKS_DIR || "/etc/coxswain/claude-hooks",
    goFolder: "/usr/local/go/bin",
    oauthUrl: env.BOAT_OAUTH_URL || "https://platform.claude.com/v1/oauth/token",
    pace: {
      restartMs: numberOf(env, "BOAT_RESTART_WAIT_MS", 0) ?? OUR_PACE.restartMs,
      refreshDelayMs: numberOf(env, "BOAT_REFRESH_DELAY_MS", 0) ?? OUR_PACE.refreshDelayMs,
      managedFrom: numberOf(env, "BOAT_MANAGED_FROM_MS", 1) ?? OUR_PACE.managedFrom,
      goodbyeMs: numberOf(env, "BOAT_GOODBYE_MS", 1) ?? OUR_PACE.goodbyeMs,
      lookMs: numberOf(env, "BOAT_LOOK_MS", 1) ?? OUR_PACE.lookMs,
    },
  };
}

/** Where terminals are registered, if anywhere. */
export const hubOf = (env: Environment): Settings["hub"] =>
  env.COOP_MUX_URL
    ? {
        url: trimmed(env.COOP_MUX_URL),
        token: env.COOP_MUX_AUTH_TOKEN || env.COOP_MUX_TOKEN || env.COOP_BROKER_TOKEN,
      }
    : undefined;

/** A pod is given 30 s by default; what we need after the agent has ended must fit in, too. */
const DEFAULT_GRACE_MS = 25_000;

export const workspaceOf = ({ workspace }: Flags): string => resolve(workspace ?? DEFAULT_WORKSPACE);

/** In a pod: its user's home, and the state beside the work, on the same volume. */
export const inPod = (env: Environment, workspace: string): Where => ({
  home: env.HOME || "/home/agent",
  state: join(workspace, ".state"),
  coxHome: join(workspace, ".state", "coxswain"),
  keepBranch: env.BOAT_KEEP_BRANCH === "1",
  reachable: true,
});

function kindOf(name: string): Settings["kind"] {
  return name === "claude" || name === "codex" || name === "gemini" ? name : undefined;
}

const trimmed = (url: string): string => url.replace(/\/+$/, "");

function daemonUrl(host: string, port: string): string {
  return /^https?:\/\//.test(host) ? trimmed(host) : `http://${host}:${port}`;
}

function portOf(flag: string, text: string | undefined, otherwise: number): number {
  const port = text === undefined || text === "" ? otherwise : Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new AppError("usage.invalid", `${flag} ${text}: not a port; give a number from 0 to 65535`);
}

function numberOf(env: Environment, name: string, least: number): number | undefined {
  const text = env[name] || undefined;
  const value = Number(text);
  if (text === undefined || (Number.isSafeInteger(value) && value >= least))
    return text === undefined ? undefined : value;
  throw new AppError("usage.invalid", `${name} ${text}: not a whole number from ${least}`);
}

/** 0 says "as usual", as it always did. */
const given = (text: string | undefined): string | undefined => (text === "0" ? undefined : text || undefined);

function countOf(flag: string, text: string | undefined): number | undefined {
  const count = Number(text);
  if (text === undefined || (Number.isInteger(count) && count > 0)) return text === undefined ? undefined : count;
  throw new AppError("usage.invalid", `${flag} ${text}: not a number above 0`);
}
