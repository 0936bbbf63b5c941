import { type Child, startChild } from "../../../lib/process/child.ts";
import { findExecutable } from "../../../lib/process/path/executable.ts";
import type { Marker } from "../../../lib/process/stop.ts";
import type { Settings } from "../settings.ts";
import type { Environment } from "../step.ts";

/** The terminal host's command line. The agent's words come last, so that the host can append its own to them. */
export function hostArguments(settings: Settings, resume: string | undefined): string[] {
  const { kind, port, healthPort, reachable, command } = settings;
  return [
    ...(kind === undefined ? [] : [`--agent=${kind}`]),
    `--host=${reachable ? "0.0.0.0" : "127.0.0.1"}`,
    `--port=${port}`,
    `--port-health=${healthPort}`,
    "--cols=200",
    "--rows=50",
    // Dialogs are ours to answer: two who press keys at the same time answer the wrong question.
    "--groom=manual",
    ...(resume === undefined ? [] : ["--resume", resume]),
    "--",
    ...command,
  ];
}

/**
 * What the host and the agent see. The token goes by the environment, since arguments are for everybody to read. The host must
 * not register with the hub itself: it would take the place of our entry, and what we say of the agent would be gone.
 */
export function hostEnvironment(env: Environment, token: string, graceMs: number): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !OURS.has(name));
  const { drainMs, killMs } = sharesOf(graceMs);
  return {
    ...Object.fromEntries(kept),
    COOP_AUTH_TOKEN: token,
    COOP_MUX_URL: "",
    COOP_DRAIN_TIMEOUT_MS: String(drainMs),
    COOP_SHUTDOWN_TIMEOUT_MS: String(killMs),
  };
}

/** Tokens for others than the agent. */
const OURS = new Set(["COOP_MUX_AUTH_TOKEN", "COOP_MUX_TOKEN", "COOP_BROKER_TOKEN"]);

/** Should the host be told to end by somebody else: both of its waits together are over before ours. */
function sharesOf(graceMs: number): { drainMs: number; killMs: number } {
  return { drainMs: Math.floor(graceMs * 0.5), killMs: Math.floor(graceMs * 0.25) };
}

export function startHost(
  settings: Settings,
  options: { env: Record<string, string>; resume: string | undefined; marker: Marker },
): Promise<Child> {
  const [program, ...args] = settings.terminal;
  const { PATH } = options.env;
  return startChild({
    file: findExecutable(program, { path: PATH, cwd: settings.workspace }),
    args: [...args, ...hostArguments(settings, options.resume)],
    cwd: settings.workspace,
    env: options.env,
    stdin: "ignore",
    stdout: STDERR, // its log belongs with ours
    stderr: STDERR,
    marker: options.marker,
  });
}

const STDERR = 2;
