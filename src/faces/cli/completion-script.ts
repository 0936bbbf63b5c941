import type { OptionSpec } from "../../lib/command/command.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export interface Completed {
  name: string;
  summary: string;
  options: Readonly<Record<string, OptionSpec>>;
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
  const cases = commands.map((command) => {
    const flags = optionsOf(command).flatMap(([name, option]) => flagsOf(option, name));
    return `    ${command.name}) words="${flags.join(" ")}" ;;\n`;
  });
  return `# bash completion for cox
_cox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names} help" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) words="${names}" ;;
${cases.join("")}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) if [ "\${COMP_WORDS[1]}" = help ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); fi ;;
  esac
}
complete -o default -F _cox cox
`;
}

function zshScript(commands: readonly Completed[]): string {
  const list = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}\n`).join("");
  const cases = commands.map((command) => {
    const specs = optionsOf(command).flatMap(([name, option]) =>
      flagsOf(option, name).map((flag) => ` \\\n        ${quoted(zshSpec(flag, option))}`),
    );
    return `    ${command.name})\n      _arguments -s${specs.join("")} '*:file:_files'\n      ;;\n`;
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

/** \`[…]\` and \`:\` have a meaning of their own in these. */
function zshSpec(flag: string, { value, help, repeat }: OptionSpec): string {
  const text = help.replace(/[[\]:\\]/g, (character) => `\\${character}`);
  return `${repeat ? "*" : ""}${flag}[${text}]${value === undefined ? "" : `:${value}:_files`}`;
}

function fishScript(commands: readonly Completed[]): string {
  const first = commands.map(
    ({ name, summary }) => `complete -c cox -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}\n`,
  );
  const rest = commands.flatMap((command) =>
    optionsOf(command).map(([name, { short, value, help }]) => {
      const letter = short === undefined ? "" : ` -s ${short}`;
      const needs = value === undefined ? "" : " -r";
      return `complete -c cox -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${letter}${needs} -d ${quoted(help)}\n`;
    }),
  );
  return `# fish completion for cox\n${first.join("")}${rest.join("")}`;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
