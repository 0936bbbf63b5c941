import { AppError } from "../../contract/errors.ts";
import { runCommand } from "../../lib/process/command.ts";
import { findExecutable } from "../../lib/process/path/executable.ts";
import type { NotifyMessage } from "./message.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** A program of the person's own: the message comes as JSON on its stdin, never in its arguments. */
export async function runProgram(argv: readonly string[], message: NotifyMessage, env: Variables): Promise<void> {
  const [program = "", ...args] = argv;
  await run(program, args, env, JSON.stringify(message));
}

/** A bubble on the desktop. */
export async function showOnDesktop(
  { title, text, answer }: NotifyMessage,
  env: Variables,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  const body = answer === undefined ? text : `${text}\n${answer}`;
  const [program, args] = desktopCommand(platform, title, body);
  await run(program, args, env);
}

/** The words are arguments of their own, so nothing in them is taken for a script. */
export function desktopCommand(platform: NodeJS.Platform, title: string, body: string): [string, string[]] {
  if (platform === "darwin") {
    const script = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];
    return ["osascript", [...script.flatMap((line) => ["-e", line]), title, body]];
  }
  // Its body is a kind of HTML.
  const escaped = body.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return ["notify-send", ["--app-name=Coxswain", "--", title, escaped]];
}

const TIMEOUT_MS = 30_000;

async function run(program: string, args: readonly string[], env: Variables, input = ""): Promise<void> {
  const file = find(program, env);
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const { code, stderr } = await runCommand(file, args, {
    cwd: "/",
    env: Object.fromEntries(given),
    input,
    timeoutMs: TIMEOUT_MS,
  });
  if (code === 0) return;
  const said = stderr.split("\n").at(-1) ?? "";
  throw new AppError("internal", `${program}: ended with ${code}${said === "" ? "" : `: ${said}`}`);
}

function find(program: string, env: Variables): string {
  try {
    return findExecutable(program, { path: env.PATH, cwd: "/" });
  } catch (error) {
    const remedy = program === "notify-send" ? "install libnotify-bin" : "name it by its whole path";
    throw new AppError("config.invalid", `${program}: not found; ${remedy}`, {}, { cause: error });
  }
}
