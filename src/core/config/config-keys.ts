import { isName } from "../../contract/ids.ts";
import { type PermissionMode, permissionModes } from "../../contract/requests/policy.ts";
import { notifyEvents } from "../notify/message.ts";

/** What can be set in config.yaml. Options on the command line win. */
export interface Config {
  agent?: string;
  project?: string;
  permissions?: PermissionMode;
  /** Seconds. */
  timeout?: number;
  idle_timeout?: number;
  max_concurrent?: number;
  container_engine?: "podman" | "docker";
  /** Seconds. */
  "session.idle_close"?: number;
  "children.depth"?: number;
  "children.live"?: number;
  "children.total"?: number;
  "worktree.copy"?: string;
  "worktree.setup"?: string;
  "worktree.teardown"?: string;
  "worktree.branch_prefix"?: string;
  "notify.webhook.url"?: string;
  /** `env:NAME` or `file:PATH`. */
  "notify.webhook.secret"?: string;
  "notify.desktop"?: "on" | "off";
  /** Words, or a JSON array of them. */
  "notify.command"?: string;
  /** Names of events, separated by commas. */
  "notify.events"?: string;
  "notify.request_after"?: number;
  "view.thinking"?: "show" | "hide";
  color?: "auto" | "never";
}

export type ConfigKey = keyof Config;

interface KeySpec {
  help: string;
  /** "100 is not a name" */
  expects: string;
  parse: (value: unknown) => string | number | undefined;
}

const name = (help: string): KeySpec => ({
  help,
  expects: "a name (a-z, 0-9, '.', '_', '-')",
  parse: (value) => (typeof value === "string" && isName(value) ? value : undefined),
});

const oneOf = (words: readonly string[], help: string): KeySpec => ({
  help,
  expects: `one of ${words.join(", ")}`,
  parse: (value) => words.find((word) => word === value),
});

const seconds = (help: string): KeySpec => ({
  help,
  expects: "a number of seconds above 0",
  parse: (value) => {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    return typeof number === "number" && Number.isFinite(number) && number > 0 ? number : undefined;
  },
});

const text = (help: string): KeySpec => ({
  help,
  expects: "some text",
  parse: (value) => (typeof value === "string" && value.trim() !== "" ? value : undefined),
});

const count = (help: string): KeySpec => ({
  help,
  expects: "a whole number above 0",
  parse: (value) => {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    return typeof number === "number" && Number.isInteger(number) && number > 0 ? number : undefined;
  },
});

const address = (help: string): KeySpec => ({
  help,
  expects: "an address that begins with https:// or http://",
  parse: (value) =>
    typeof value === "string" && /^https?:\/\/\S+$/.test(value) && URL.canParse(value) ? value : undefined,
});

const reference = (help: string): KeySpec => ({
  help,
  expects: "env:NAME or file:PATH",
  parse: (value) => (typeof value === "string" && /^(env|file):\S+$/.test(value) ? value : undefined),
});

const commandLine = (help: string): KeySpec => ({
  help,
  expects: "a command: words, or a list of them",
  parse: (value) => {
    if (typeof value === "string") return commandWords(value).length > 0 ? value : undefined;
    return isWords(value) && value.length > 0 ? JSON.stringify(value) : undefined;
  },
});

/** A list in brackets for words with blanks in them; no shell is involved. */
export function commandWords(text: string): string[] {
  if (!text.trimStart().startsWith("[")) return text.split(/\s+/).filter((word) => word !== "");
  try {
    const words: unknown = JSON.parse(text);
    return isWords(words) ? words : [];
  } catch {
    return [];
  }
}

const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === "string" && word !== "");

const someOf = (names: readonly string[], help: string): KeySpec => ({
  help,
  expects: `some of ${names.join(", ")}`,
  parse: (value) => {
    const words = typeof value === "string" ? value.split(",").map((word) => word.trim()) : value;
    return isWords(words) && words.every((word) => names.includes(word)) ? words.join(",") : undefined;
  },
});

/** YAML has its own words for it. */
const onOrOff = (help: string): KeySpec => ({
  help,
  expects: "on or off",
  parse: (value) => (value === true || value === "on" ? "on" : value === false || value === "off" ? "off" : undefined),
});

export const configKeys: Readonly<Record<ConfigKey, KeySpec>> = {
  agent: name("the agent when none is named"),
  project: name("the project when none is named; else it is named after the repository"),
  permissions: oneOf(permissionModes, "what agents ask for: ask, allow or deny"),
  timeout: seconds("end runs after this many seconds"),
  idle_timeout: seconds("end runs whose agent is silent for this many seconds"),
  max_concurrent: count("how many tasks of the queue run at once"),
  container_engine: oneOf(["podman", "docker"], "which engine starts containers, where both are installed (podman)"),
  "session.idle_close": seconds("close a conversation when nothing was asked of it for this many seconds (1800)"),
  "children.depth": count("how many runs may be above one that an agent starts (5)"),
  "children.live": count("how many runs that one agent started may run at once (20)"),
  "children.total": count("how many runs one agent may start, and how many tasks it may make (100)"),
  "worktree.copy": text("ignored files to copy into a new worktree, comma-separated"),
  "worktree.setup": text("a shell command to run in a new worktree"),
  "worktree.teardown": text("a shell command to run before a worktree is removed"),
  "worktree.branch_prefix": text("what branches of worktrees begin with (cox/)"),
  "notify.webhook.url": address("where messages for you are posted"),
  "notify.webhook.secret": reference("what they are signed with: env:NAME or file:PATH"),
  "notify.desktop": onOrOff("show them on this desktop"),
  "notify.command": commandLine("a program that gets them as JSON on its stdin"),
  "notify.events": someOf(notifyEvents, "which: request, failed, completed, budget (all)"),
  "notify.request_after": seconds("how many seconds a request waits for you before you are told (5)"),
  "view.thinking": oneOf(["show", "hide"], "whether live views show what agents think"),
  color: oneOf(["auto", "never"], "colours in terminals"),
};

export const isConfigKey = (text: string): text is ConfigKey => Object.hasOwn(configKeys, text);
