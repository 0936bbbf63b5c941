import { join } from "node:path";
import { AppError } from "../../../contract/errors.ts";
import { createLog, type Level, type Log } from "../../../lib/base/log.ts";
import type { Context } from "../../../lib/command/command.ts";
import { parseDuration } from "../../../lib/command/duration.ts";
import { packageRoot } from "../../../lib/files/package-root.ts";
import { redactor } from "../../../lib/text/redact.ts";
import { underInit } from "../../../terminal/supervisor/pid-one.ts";
import {
  type Flags,
  inPod,
  readSettings,
  type Settings,
  type Where,
  workspaceOf,
} from "../../../terminal/supervisor/settings.ts";
import { start } from "../../../terminal/supervisor/start.ts";
import type { StartValues } from "./options.ts";

/** One of three places; which one is never guessed. */
export async function startAgent(values: StartValues, context: Context): Promise<number> {
  const modes = (["k8s", "local", "docker"] as const).filter((mode) => values[mode] === true);
  const [mode] = modes;
  if (mode === undefined || modes.length > 1) throw whichMode(modes, context.env);
  switch (mode) {
    case "k8s":
      return startInPod(values, context);
    case "local":
      return (await import("./start-local.ts")).startLocally(values, context);
    case "docker":
      return (await import("./start-docker.ts")).startInContainer(values, context);
  }
}

function whichMode(modes: readonly string[], env: NodeJS.ProcessEnv): AppError {
  if (modes.length > 1) return new AppError("usage.invalid", `cox agent start: --${modes.join(" and --")}: choose one`);
  const hint = env.BOAT_ROLE ? "BOAT_ROLE is set, so this is a pod: add --k8s" : "say --k8s, --local or --docker";
  return new AppError("usage.invalid", `cox agent start: where? ${hint}; see \`cox agent --help\``);
}

async function startInPod(values: StartValues, context: Context): Promise<number> {
  if (process.pid === 1) return underInit([...process.execArgv, ...process.argv.slice(1)], context.env, process);
  const flags = flagsOf(values);
  return superviseHere(settingsOf(flags, context.env, inPod(context.env, workspaceOf(flags))), context);
}

export function flagsOf(values: StartValues): Flags {
  const { workspace, command, nudge, terminal, grace } = values;
  return {
    workspace,
    command,
    nudge,
    terminal,
    port: values["coop-port"],
    healthPort: values["coop-health-port"],
    statusPort: values["status-port"],
    maxRestarts: values["max-restarts"],
    ...(grace === undefined ? {} : { graceMs: parseDuration("--grace", grace) }),
  };
}

export const settingsOf = (flags: Flags, env: NodeJS.ProcessEnv, where: Where): Settings =>
  readSettings(flags, env, where, [process.execPath, join(packageRoot(), "bin", "cox"), "terminal"]);

/** The log is on stderr, as JSON lines, with no secret of the environment in it. */
export function superviseHere(settings: Settings, context: Context): Promise<number> {
  const env = Object.fromEntries(
    Object.entries(context.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return start(settings, { env, clock: context.clock, log: logFor(context), signals: process });
}

function logFor({ env, clock, stderr }: Context): Log {
  const secrets = Object.entries(env).flatMap(([name, value]) => (SECRET.test(name) && value ? [value] : []));
  return createLog({
    sink: (line) => stderr.write(line),
    level: levelOf(env.COOP_LOG_LEVEL),
    now: () => clock.now(),
    redact: redactor(secrets),
  });
}

const SECRET = /TOKEN|KEY|SECRET|PASSWORD/;
const LEVELS: readonly Level[] = ["debug", "info", "warn", "error"];
const levelOf = (text: string | undefined): Level => LEVELS.find((level) => level === text) ?? "info";
