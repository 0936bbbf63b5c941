import type { OptionSpec } from "../../lib/command/command.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export interface Completed {
  name: string;
  summary: string;
  options: Readonly<Record<string, OptionSpec>>;
  /** Of a command that can do several things: each, with its options. */
  verbs?: readonly Completed[];
}

/** The tables of the commands as a script for a shell: static, so that completing starts no program. */
export function scriptFor(shell: Shell, commands: readonly Completed[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

const help: OptionSpec = { short: "h", help: "show what it does" };
const optionsOf = ({ options }: Completed) => Object.entries({ ...options, help });
const flagsOf = ({ short }: OptionSpec, name: string) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];

function bashScript(commands: readonly Completed[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const flagsLine = (command: Completed, indent: string) => {
    const flags = optionsOf(command).flatMap(([name, option]) => flagsOf(option, name));
    return `${indent}${command.name}) flags="${flags.join(" ")}" ;;\n`;
  };
  const cases = commands.map((command) => {
    const { name, verbs } = command;
    if (verbs === undefined) return flagsLine(command, "    ");
    const said = verbs.map((verb) => flagsLine(verb, "        ")).join("");
    const list = verbs.map((verb) => verb.name).join(" ");
    return `    ${name})\n      verbs="${list}"\n      case "\${COMP_WORDS[2]}" in\n${said}      esac\n      ;;\n`;
  });
  return `# bash completion for cox
_cox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" flags="" verbs=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names} help" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) verbs="${names}" ;;
${cases.join("")}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) if [ "$COMP_CWORD" -eq 2 ] && [ -n "$verbs" ]; then COMPREPLY=($(compgen -W "$verbs" -- "$current")); fi ;;
  esac
}
complete -o default -F _cox cox
`;
}

function zshScript(commands: readonly Completed[]): string {
  const list = described(commands, "    ");
  const cases = commands.map((command) => {
    const { name, verbs } = command;
    if (verbs === undefined) return zshCase(command, "    ");
    return `    ${name})
      local -a verbs
      verbs=(
${described(verbs, "        ")}      )
      if (( CURRENT == 2 )); then
        _describe verb verbs
        return
      fi
      local verb="$words[2]"
      shift words
      (( CURRENT-- ))
      case "$verb" in
${verbs.map((verb) => zshCase(verb, "        ")).join("")}      esac
      ;;\n`;
  });
  return `#compdef cox
_cox() {
  local -a commands
  commands=(
${list}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local name="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$name" in
    help) _describe command commands ;;
${cases.join("")}  esac
}
if [ "$funcstack[1]" = _cox ]; then _cox "$@"; else compdef _cox cox; fi
`;
}

const described = (commands: readonly Completed[], indent: string) =>
  commands.map(({ name, summary }) => `${indent}${quoted(`${name}:${summary}`)}\n`).join("");

function zshCase(command: Completed, indent: string): string {
  const specs = optionsOf(command).flatMap(([name, option]) =>
    flagsOf(option, name).map((flag) => ` \\\n${indent}    ${quoted(zshSpec(flag, option))}`),
  );
  return `${indent}${command.name})\n${indent}  _arguments -s${specs.join("")} '*:file:_files'\n${indent}  ;;\n`;
}

/** \`[…]\` and \`:\` have a meaning of their own in these. */
function zshSpec(flag: string, { value, help, repeat }: OptionSpec): string {
  const text = help.replace(/[[\]:\\]/g, (character) => `\\${character}`);
  return `${repeat ? "*" : ""}${flag}[${text}]${value === undefined ? "" : `:${value}:_files`}`;
}

function fishScript(commands: readonly Completed[]): string {
  const first = commands.map(
    ({ name, summary }) => `complete -c cox -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}\n`,
  );
  const rest = commands.flatMap((command) => {
    const seen = `__fish_seen_subcommand_from ${command.name}`;
    const { verbs } = command;
    if (verbs === undefined) return fishOptions(command, seen);
    const none = `${seen}; and not __fish_seen_subcommand_from ${verbs.map(({ name }) => name).join(" ")}`;
    return verbs.flatMap((verb) => [
      `complete -c cox -n '${none}' -f -a ${verb.name} -d ${quoted(verb.summary)}\n`,
      ...fishOptions(verb, `${seen}; and __fish_seen_subcommand_from ${verb.name}`),
    ]);
  });
  return `# fish completion for cox\n${first.join("")}${rest.join("")}`;
}

function fishOptions(command: Completed, when: string): string[] {
  return optionsOf(command).map(([name, { short, value, help }]) => {
    const letter = short === undefined ? "" : ` -s ${short}`;
    const needs = value === undefined ? "" : " -r";
    return `complete -c cox -n '${when}' -l ${name}${letter}${needs} -d ${quoted(help)}\n`;
  });
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
