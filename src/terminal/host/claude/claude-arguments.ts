import { basename } from "node:path";

export interface ClaudeWishes {
  /** The conversation: a new one by this id, or an old one. */
  session: { id: string } | { resume: string };
  settingsFile: string | undefined;
  mcpFile: string | undefined;
}

/** The command with what we need of Claude behind it. What the command says itself stands. */
export function claudeArguments(command: readonly [string, ...string[]], wishes: ClaudeWishes): [string, ...string[]] {
  const words = (isShell(command) ? command.slice(2) : command).join(" ");
  const says = (...flags: string[]) => flags.some((flag) => new RegExp(`(^|\\s)${flag}(\\s|=|$)`).test(words));
  const extra: string[] = [];
  if ("resume" in wishes.session) extra.push("--resume", wishes.session.resume);
  else if (!says("--session-id", "--resume", "-r", "--continue", "-c")) extra.push("--session-id", wishes.session.id);
  if (wishes.settingsFile !== undefined && !says("--settings")) extra.push("--settings", wishes.settingsFile);
  if (wishes.mcpFile !== undefined) extra.push("--mcp-config", wishes.mcpFile);
  return append(command, extra);
}

/** Behind `sh -c "claude …"` they would be arguments of the shell: there they become those of its script. */
function append(command: readonly [string, ...string[]], extra: readonly string[]): [string, ...string[]] {
  const [program, ...args] = command;
  const script = args[1];
  if (!isShell(command) || script === undefined) return [program, ...args, ...extra];
  return [program, args[0] ?? "", `${script} "$@"`, args[2] ?? basename(program), ...args.slice(3), ...extra];
}

/** `sh -c …` */
const isShell = ([program, flag = ""]: readonly [string, ...string[]]): boolean =>
  /^(ba|da|z|k)?sh$/.test(basename(program)) && /^-[a-z]*c$/.test(flag);
