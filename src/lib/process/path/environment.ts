import { DEFAULT_PATH, ownPath } from "./distrust.ts";

export interface EnvironmentParts {
  /** The environment of whoever asked for the run. */
  caller: Readonly<Record<string, string | undefined>>;
  /** From the agent's definition. */
  definition: Readonly<Record<string, string>>;
  /** Of this run: COX_RUN_ID and the like. Comes last. */
  run: Readonly<Record<string, string>>;
  /** Names the chosen agent may see although they belong to a vendor. */
  keep: Iterable<string>;
  /** Start from a short list instead of everything the caller has. */
  clean: boolean;
}

/** What an agent's process sees. Agents are started from shells full of other agents' keys; each gets only its own. */
export function buildEnvironment({ caller, definition, run, keep, clean }: EnvironmentParts): Record<string, string> {
  const kept = new Set(keep);
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(caller)) {
    if (value === undefined || ofAnotherRun(name)) continue;
    if (kept.has(name) || (clean ? isBasic(name) : !isVendorKey(name))) environment[name] = value;
  }
  return Object.assign(environment, definition, run);
}

/** `dir` first and once; the other entries stay in their order. */
export function prependPath(path: string | undefined, dir: string): string {
  // Without PATH a program still finds what the system's default has; with only `dir` in it, it would not.
  const entries = (path ?? DEFAULT_PATH).split(":");
  return [dir, ...entries.filter((entry) => entry !== dir)].join(":");
}

/** For programs of ours, not an agent: they look for others on the PATH in turn, as git does for ssh and a script for node. */
export function withOwnPath(env: Readonly<Record<string, string>>): Record<string, string> {
  return env.PATH === undefined ? { ...env } : { ...env, PATH: ownPath(env.PATH) };
}

/** What an outer agent, an outer run of ours or npm left behind: an inner agent would take it for its own. */
function ofAnotherRun(name: string): boolean {
  return OUTER_NAMES.has(name) || OUTER_PREFIXES.some((prefix) => name.startsWith(prefix));
}

const OUTER_NAMES = new Set([
  // Claude Code refuses to start, or attaches to the wrong editor, when it finds these.
  "CLAUDECODE",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SSE_PORT",
  "TASK_FOLDER",
  "RUN_FOLDER",
]);
const OUTER_PREFIXES = ["npm_", "JRUN_", "COX_"];

function isVendorKey(name: string): boolean {
  return VENDOR_KEYS.has(name);
}

const VENDOR_KEYS = new Set([
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "OPENAI_API_KEY",
  "OPENAI_ORG_ID",
  "CODEX_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "PERPLEXITY_API_KEY",
  "XAI_API_KEY",
  "GROQ_API_KEY",
  "MISTRAL_API_KEY",
  "DEEPSEEK_API_KEY",
  "OPENROUTER_API_KEY",
  "CURSOR_API_KEY",
  "AMP_API_KEY",
]);

function isBasic(name: string): boolean {
  return BASIC_NAMES.has(name) || BASIC_PREFIXES.some((prefix) => name.startsWith(prefix));
}

const BASIC_NAMES = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "TERM",
  "TZ",
  "TMPDIR",
  "SSH_AUTH_SOCK",
  "NODE_EXTRA_CA_CERTS",
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap((name) => [name, name.toUpperCase()]),
]);
const BASIC_PREFIXES = ["LC_", "SSL_CERT_", "XDG_"];
