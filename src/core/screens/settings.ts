import { basename } from "node:path";
import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { StartConfig } from "./start-script.ts";
import { StopConfig } from "./stop-gate.ts";

export type AgentKind = "claude" | "codex" | "gemini" | "unknown";

/** What `--agent-config` may say. */
const AgentConfig = z.object({
  stop: StopConfig.optional(),
  start: StartConfig.optional(),
  /** Claude's own settings and MCP servers. */
  settings: z.record(z.string(), z.unknown()).optional(),
  mcp: z.record(z.string(), z.unknown()).optional(),
  prompt_pattern: z.string().optional(),
  working_patterns: z.array(z.string()).optional(),
  error_patterns: z.array(z.string()).optional(),
  permission_patterns: z.array(z.string()).optional(),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

/** How long things take, in milliseconds; each can be set by COOP_<NAME>_MS. */
export interface Waits {
  shutdownTimeout: number;
  drainTimeout: number;
  screenDebounce: number;
  screenPoll: number;
  logPoll: number;
  inputDelay: number;
  inputDelayPerByte: number;
  nudgeTimeout: number;
  groomDismissDelay: number;
}

export interface TerminalSettings {
  host: string;
  port: number | undefined;
  healthPort: number | undefined;
  socket: string | undefined;
  token: string | undefined;
  agent: AgentKind;
  agentConfig: AgentConfig;
  cols: number;
  rows: number;
  ringSize: number;
  term: string;
  logLevel: "debug" | "info" | "warn" | "error";
  resume: string | undefined;
  record: boolean;
  groom: "auto" | "manual" | "pristine";
  labels: Record<string, unknown>;
  /** Further names this host is reached by. */
  names: readonly string[];
  command: readonly [string, ...string[]];
  waits: Waits;
}

export interface Flags {
  readonly [name: string]: string | readonly string[] | boolean | undefined;
}

/** From the command line, then the environment, then the defaults. Throws what is wrong with it. */
export function readSettings(flags: Flags, env: NodeJS.ProcessEnv, command: readonly string[]): TerminalSettings {
  const [program, ...args] = command;
  if (program === undefined) throw wrong("which program? For example: cox terminal --port 8080 -- claude");
  const text = (flag: string, variable: string) => textOf(flags[flag]) ?? (env[variable] || undefined);
  const port = portOf("--port", text("port", "COOP_PORT"));
  const socket = text("socket", "COOP_SOCKET");
  if (port === undefined && socket === undefined)
    throw wrong("--port or --socket is needed; --port 0 takes a free one");
  const agent = agentOf(text("agent", "COOP_AGENT"), program);
  const groom = oneOf("--groom", text("groom", "COOP_GROOM") ?? "auto", GROOMS);
  const resume = text("resume", "COOP_RESUME");
  if (resume !== undefined && agent !== "claude") throw wrong("--resume: only claude can be resumed by its log");
  if (resume !== undefined && groom === "pristine") throw wrong("--resume and --groom pristine exclude each other");
  return {
    host: text("host", "COOP_HOST") ?? "127.0.0.1",
    port,
    healthPort: portOf("--port-health", text("port-health", "COOP_HEALTH_PORT")),
    socket,
    token: text("auth-token", "COOP_AUTH_TOKEN"),
    agent,
    agentConfig: agentConfigOf(text("agent-config", "COOP_AGENT_CONFIG")),
    cols: sizeOf("--cols", text("cols", "COOP_COLS") ?? "200", 1, 1000),
    rows: sizeOf("--rows", text("rows", "COOP_ROWS") ?? "50", 1, 1000),
    ringSize: sizeOf("--ring-size", text("ring-size", "COOP_RING_SIZE") ?? "1048576", 1024, 1024 ** 3),
    term: text("term", "TERM") ?? "xterm-256color",
    logLevel: oneOf("--log-level", text("log-level", "COOP_LOG_LEVEL") ?? "info", LEVELS),
    resume,
    record: flags.record === true || env.COOP_RECORD === "1",
    groom,
    labels: labelsOf([flags.label ?? []].flat().filter((label) => typeof label === "string")),
    names: (text("names", "COOP_NAMES") ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
    command: [program, ...args],
    waits: waitsOf(env),
  };
}

const GROOMS = ["auto", "manual", "pristine"] as const;
const LEVELS = ["debug", "info", "warn", "error"] as const;
const AGENTS = ["claude", "codex", "gemini", "unknown"] as const;

const wrong = (message: string) => new AppError("config.invalid", `cox terminal: ${message}`);

const textOf = (value: Flags[string]) => (typeof value === "string" ? value : undefined);

function oneOf<const T extends string>(name: string, text: string, known: readonly T[]): T {
  const found = known.find((each) => each === text);
  if (found === undefined) throw wrong(`${name} ${JSON.stringify(text)}: it is one of ${known.join(", ")}`);
  return found;
}

function sizeOf(name: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw wrong(`${name} ${JSON.stringify(text)}: not a whole number from ${min} to ${max}`);
}

const portOf = (name: string, text: string | undefined) =>
  text === undefined ? undefined : sizeOf(name, text, 0, 65_535);

function agentOf(said: string | undefined, program: string): AgentKind {
  if (said !== undefined) return oneOf("--agent", said, AGENTS);
  const name = basename(program).replace(/less$/, "");
  return AGENTS.find((agent) => agent === name) ?? "unknown";
}

function agentConfigOf(text: string | undefined): AgentConfig {
  if (text === undefined) return {};
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new AppError("config.invalid", "cox terminal: --agent-config: this is not JSON", {}, { cause });
  }
  const { data, error } = AgentConfig.safeParse(json);
  if (data !== undefined) return data;
  throw wrong(`--agent-config: ${error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ")}`);
}

/** `k8s.pod=a` becomes {k8s: {pod: "a"}}. */
export function labelsOf(labels: readonly string[]): Record<string, unknown> {
  const tree: Record<string, unknown> = {};
  for (const label of labels) {
    const at = label.indexOf("=");
    const path = label.slice(0, at).split(".");
    if (at < 1 || path.some((part) => !/^\w[\w-]*$/.test(part))) throw wrong(`--label ${label}: not NAME=VALUE`);
    let place = tree;
    for (const part of path.slice(0, -1)) {
      const next = Object.hasOwn(place, part) ? place[part] : undefined;
      const inner: Record<string, unknown> = typeof next === "object" && next !== null ? { ...next } : {};
      place[part] = inner;
      place = inner;
    }
    place[path.at(-1) ?? ""] = label.slice(at + 1);
  }
  return tree;
}

/** Together drain and shutdown stay well under the 30 s that a pod is given. */
export const defaultWaits: Readonly<Waits> = {
  shutdownTimeout: 8000,
  drainTimeout: 12_000,
  screenDebounce: 50,
  screenPoll: 3000,
  logPoll: 3000,
  inputDelay: 200,
  inputDelayPerByte: 1,
  nudgeTimeout: 4000,
  groomDismissDelay: 500,
};

function waitsOf(env: NodeJS.ProcessEnv): Waits {
  const ms = (name: keyof Waits) => {
    const variable = `COOP_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}_MS`;
    const text = env[variable];
    return text === undefined || text === "" ? defaultWaits[name] : sizeOf(variable, text, 0, 86_400_000);
  };
  return {
    shutdownTimeout: ms("shutdownTimeout"),
    drainTimeout: ms("drainTimeout"),
    screenDebounce: ms("screenDebounce"),
    screenPoll: ms("screenPoll"),
    logPoll: ms("logPoll"),
    inputDelay: ms("inputDelay"),
    inputDelayPerByte: ms("inputDelayPerByte"),
    nudgeTimeout: ms("nudgeTimeout"),
    groomDismissDelay: ms("groomDismissDelay"),
  };
}
