import { statSync } from "node:fs";
import { AppError, messageOf } from "../../../contract/errors.ts";
import { type CommandResult, runCommand } from "../../../lib/process/command.ts";
import { findExecutable } from "../../../lib/process/path/executable.ts";
import { guardAgainst } from "./config-guard.ts";
import { gitEnvironment, type Setting } from "./git-environment.ts";
import { outsideSubmodules } from "./outside-submodules.ts";
import { distrustWorkspace } from "./writable-places.ts";

export interface GitOptions {
  input?: string | Uint8Array;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
  onOutput?: (chunk: Buffer, from: "stdout" | "stderr") => void;
  /** Exit codes that are an answer and no failure. */
  answers?: readonly number[];
  /** GIT_INDEX_FILE, GIT_DIR and the like. */
  env?: Readonly<Record<string, string>>;
  settings?: readonly Setting[];
  /** It changes something; without this git takes no locks of its own accord, so it disturbs nobody. */
  writes?: boolean;
}

/** One way to run git, bound to a place: the real repository, or our shadow of it. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<CommandResult>;

const TIMEOUT_MS = 60_000;

export const at =
  (cwd: string): Git =>
  (args, options) =>
    plumbing(cwd, args, options);

/** The repository as such, by the directory all its worktrees share: also when its main checkout is bare or a worktree gone. */
export const ofRepository =
  (commonDir: string): Git =>
  (args, options = {}) =>
    plumbing(commonDir, args, { ...options, env: { ...options.env, GIT_DIR: commonDir } });

/** For commands that read or write files, or talk to a remote: first looks which programs the repository wants run. */
export async function git(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<CommandResult> {
  const env = options.env;
  const listing = await plumbing(cwd, ["config", "--list", "--show-scope", "--name-only", "-z"], { env });
  const settings = [...guardAgainst(listing.stdout), ...(options.settings ?? [])];
  return plumbing(cwd, args, { ...options, settings });
}

/** For commands on refs and objects alone, which no setting of a repository makes run anything. */
export async function plumbing(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<CommandResult> {
  const { settings = [], answers = [], writes = false, env = {} } = options;
  const environment = gitEnvironment(process.env, settings, { GIT_OPTIONAL_LOCKS: writes ? "1" : "0", ...env });
  const result = await runCommand(program(cwd), outsideSubmodules(args), {
    cwd,
    env: environment,
    input: options.input,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    maxBytes: options.maxBytes,
    signal: options.signal,
    onOutput: options.onOutput,
    umask: writes ? umaskOf(env.GIT_WORK_TREE ?? cwd) : undefined,
  });
  if (result.truncated && options.maxBytes === undefined) throw tooMuch(cwd, args);
  if (result.code === 0 || result.truncated || answers.includes(result.code)) return result;
  throw gitError(cwd, args, result);
}

export const line = (result: CommandResult): string => result.stdout.toString("utf8").replace(/\n$/, "");

/** NUL-separated names as byte strings (one character per byte): file names need not be valid UTF-8. */
export const names = (result: CommandResult): string[] => result.stdout.toString("latin1").split("\0").slice(0, -1);

export const bytesOf = (name: string): Buffer => Buffer.from(name, "latin1");
export const shown = (name: string): string => bytesOf(name).toString("utf8");
export const nulList = (list: readonly string[]): Buffer => bytesOf(list.map((name) => `${name}\0`).join(""));

function gitError(cwd: string, args: readonly string[], result: CommandResult): AppError {
  const said = result.stderr.replace(/^(fatal|error): /gm, "").trim();
  const why = said === "" ? `exited with ${result.code}` : said;
  return new AppError("workspace.invalid", `git ${args[0]}: ${why}`, { cwd, exitCode: result.code });
}

/** A list cut short would be taken for the whole. */
function tooMuch(cwd: string, args: readonly string[]): AppError {
  return new AppError(
    "limit.exceeded",
    `git ${args[0]}: ${cwd}: has more to say than we can take; is this the right folder?`,
  );
}

function program(cwd: string): string {
  distrustWorkspace(cwd);
  try {
    return findExecutable("git", { path: process.env.PATH, cwd: "/" });
  } catch (cause) {
    throw new AppError("workspace.invalid", `${messageOf(cause)}; git is needed here`, {}, { cause });
  }
}

/** Our own files are private; a person's checkout stays as open as the folder it lies in. */
function umaskOf(folder: string): number {
  return ~statSync(folder).mode & 0o077;
}
