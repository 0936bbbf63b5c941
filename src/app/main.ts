import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { AppError, exitCodeOf, messageOf } from "../contract/errors.ts";
import { agentFolders, homeAt, homePath, requirePrivateHome } from "../core/store/home.ts";
import { fencedSince } from "../core/workspaces/fence/persons/record.ts";
import { distrustWorkspace } from "../core/workspaces/git/writable-places.ts";
import { systemClock } from "../lib/base/clock.ts";
import { VERSION } from "../lib/base/version.ts";
import { type CommandSpec, type Context, helpOf, runCommand } from "../lib/command/command.ts";
import { diskError, errnoOf } from "../lib/files/disk-error.ts";
import { distrust, distrustAsListed } from "../lib/process/path/distrust.ts";
import { isTerminalLost, letGoOfLostTerminal } from "../lib/process/terminal/lost.ts";
import { keepFilesPrivate } from "../lib/process/umask.ts";
import { commands, isCommandName, suggestions } from "./commands/index.ts";

keepFilesPrivate();
process.on("exit", letGoOfLostTerminal);
process.stderr.on("error", () => {}); // there is nowhere left to say it

/** `cox ls | head` closes our output: that is no error. Whoever hosts a run ends it properly before it goes. */
let outputGone = (code: number): void => process.exit(code);
let isGone = false;
process.stdout.on("error", (error) => {
  // A full disk is one: `cox output latest > answer.md` must not leave half a file and say that all went well.
  const isClosed = errnoOf(error) === "EPIPE" || isTerminalLost();
  if (!isClosed && !isGone) {
    process.stderr.write(`cox: ${diskError("write the output", undefined, error).message}\n`);
  }
  isGone = true;
  outputGone(isClosed ? 0 : 1);
});

const context: Context = {
  env: process.env,
  /** Asked for when it is needed: `cox ls` works in a folder that was deleted, a worktree for example. */
  get cwd() {
    return currentFolder();
  },
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  onOutputGone(call) {
    outputGone = call;
  },
};

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});

async function main(args: readonly string[]): Promise<number> {
  const [name = "", ...rest] = args;
  try {
    if (name === "" || name === "help" || name === "--help" || name === "-h") return await help(rest);
    if (name === "--version" || name === "-V") {
      process.stdout.write(`cox ${VERSION}\n`);
      return 0;
    }
    const command = await load(name);
    if (!WITHOUT_STATE.has(name)) requirePrivateHome(homePath(process.env));
    distrustAgents();
    const code = await runCommand(command, rest, context);
    if (name !== "notify" && name !== "host") await passOn();
    return code;
  } catch (error) {
    return report(error);
  }
}

/** Where agents of ours can write, as far as it is known before anybody says which folder is meant. */
function distrustAgents(): void {
  const home = homePath(process.env);
  distrust(agentFolders(homeAt(home)));
  distrustAsListed(fencedSince(home));
  const here = folderIfThere();
  if (here !== undefined) distrustWorkspace(here);
}

/** They read nothing of ours; `doctor` says what is wrong with the folder. */
const WITHOUT_STATE: ReadonlySet<string> = new Set(["doctor", "version", "completion"]);

async function load(name: string): Promise<CommandSpec> {
  if (isCommandName(name)) return (await commands[name].load()).default;
  const near = suggestions(name);
  const hint =
    near.length > 0 ? `did you mean ${near.map((word) => `\`cox ${word}\``).join(" or ")}?` : "see `cox help`";
  throw new AppError("usage.invalid", `cox ${name}: no such command; ${hint}`);
}

/** Messages that could not be sent go out with whoever comes next, in a process of their own. Agents have no part in it. */
async function passOn(): Promise<void> {
  const root = homePath(process.env);
  const folder = join(root, "outbox");
  if (process.env.COX_RUN_ID !== undefined || !existsSync(folder)) return;
  try {
    const isDue = readdirSync(folder).some((name) => Number.parseInt(name, 10) <= Date.now());
    if (isDue) (await import("../core/launch/notifying.ts")).sendWaiting(homeAt(root), process.env, Date.now());
  } catch {
    // The command has done what it was asked; this was none of its business.
  }
}

async function help([name, ...verbs]: readonly string[]): Promise<number> {
  const isPage = name === undefined || name === "all";
  if (!isPage) {
    const spec = await load(name);
    // One that passes everything on would pass this on, too.
    if (!spec.raw || spec.verbs) return runCommand(spec, [...verbs, "--help"], context);
    process.stdout.write(helpOf(spec));
    return 0;
  }
  const { helpPage } = await import("./commands/help.ts");
  process.stdout.write(helpPage(name === "all"));
  return 0;
}

/** What failed, for which thing, and what to do, on stderr; a bug of ours also says where. */
async function report(error: unknown): Promise<number> {
  const { printable } = await import("../lib/text/printable.ts"); // a message may quote what an agent said
  const told = ofStateFolder(error) ?? error;
  const { wrapWords } = await import("../lib/command/columns.ts");
  const lines = wrapWords(`cox: ${printable(messageOf(told))}`, process.stderr.columns || Number.POSITIVE_INFINITY);
  process.stderr.write(`${lines.join("\n")}\n`);
  if (told instanceof AppError) return exitCodeOf(told.code);
  if (error instanceof Error && error.stack && process.env.COX_DEBUG) process.stderr.write(`${error.stack}\n`);
  return 1;
}

/** A call on a file of ours that failed where nobody expected it: a state folder that is a file, or read-only. */
function ofStateFolder(error: unknown): AppError | undefined {
  if (!(error instanceof Error && "path" in error && typeof error.path === "string")) return undefined;
  if (errnoOf(error) === "ENOENT" || !error.path.startsWith(`${homePath(process.env)}/`)) return undefined;
  return diskError("use the state folder", error.path, error);
}

function currentFolder(): string {
  const folder = folderIfThere();
  if (folder !== undefined) return folder;
  throw new AppError("workspace.invalid", "this folder: is not there any more; go to another one with `cd`");
}

function folderIfThere(): string | undefined {
  try {
    return process.cwd();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
