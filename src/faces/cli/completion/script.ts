import type { OptionSpec } from "../../../lib/command/command.ts";
import { type Offered, offeredFor, wordsIn } from "./kinds.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export interface Completed {
  name: string;
  summary: string;
  usage: string;
  options: Readonly<Record<string, OptionSpec>>;
  /** Of a command that can do several things: each, with its options. */
  verbs?: readonly Completed[];
}

/** The tables of the commands as a script for a shell: only what changes, names of runs and the like, is asked for. */
export function scriptFor(shell: Shell, commands: readonly Completed[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

const help: OptionSpec = { short: "h", help: "show what it does" };
const optionsOf = ({ options }: Completed) => Object.entries({ ...options, help });
const flagsOf = ({ short }: OptionSpec, name: string) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];

/** As \`cox completion values\` takes it: kinds, and words with a plus before them. */
const listOf = ({ kinds, words }: Offered): string[] => [...kinds, ...words.map((word) => `+${word}`)];

function bashScript(commands: readonly Completed[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const place = (command: Completed, indent: string) => {
    const flags = optionsOf(command).flatMap(([name, option]) => flagsOf(option, name));
    const values = optionsOf(command).flatMap(([name, option]) => {
      if (option.value === undefined) return [];
      const offered = listOf(offeredFor(name, option, command.usage)).join(",");
      return flagsOf(option, name).map((flag) => `${flag}:${offered}`);
    });
    const words = listOf(wordsIn(command.usage)).join(" ");
    const found = [`flags="${flags.join(" ")}"`, `values="${values.join(" ")}"`, `words="${words}"`];
    return `${indent}${command.name}) ${found.join(" ")} ;;\n`;
  };
  const cases = commands.map((command) => {
    const { name, verbs } = command;
    if (verbs === undefined) return place(command, "    ");
    const said = verbs.map((verb) => place(verb, "        ")).join("");
    const list = verbs.map((verb) => verb.name).join(" ");
    return `    ${name})\n      verbs="${list}"\n      case "\${COMP_WORDS[2]}" in\n${said}      esac\n      ;;\n`;
  });
  return `# bash completion for cox
_cox_offer() {
  local each
  while IFS=$'\\t' read -r each _; do
    case "$each" in "$current"*) COMPREPLY+=("$each") ;; esac
  done < <(cox completion values "$@" -- "\${COMP_WORDS[@]}" 2>/dev/null)
  compopt -o nosort 2>/dev/null
}
_cox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" flags="" verbs="" values="" words="" each
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names} help" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) verbs="${names}" ;;
${cases.join("")}  esac
  if [ "$current" = "=" ]; then
    current=""
  elif [ "$previous" = "=" ]; then
    previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for each in $values; do
    if [ "\${each%%:*}" = "$previous" ]; then
      each="\${each#*:}"
      if [ -n "$each" ]; then _cox_offer \${each//,/ }; fi
      return
    fi
  done
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *)
      if [ "$COMP_CWORD" -eq 2 ] && [ -n "$verbs" ]; then
        COMPREPLY=($(compgen -W "$verbs" -- "$current"))
      elif [ -n "$words" ]; then
        _cox_offer $words
      fi
      ;;
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
_cox_values() {
  local -a found
  local each
  for each in \${(f)"$(cox completion values "$@" -- $words 2>/dev/null)"}; do
    found+=("\${\${each%%$'\\t'*}//:/\\\\:}:\${each#*$'\\t'}")
  done
  _describe -V value found
}
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
  const { name, usage } = command;
  const specs = optionsOf(command).flatMap(([option, spec]) =>
    flagsOf(spec, option).map((flag) => quoted(zshSpec(flag, spec, listOf(offeredFor(option, spec, usage))))),
  );
  const all = [...specs, quoted(`*:word:${zshAction(listOf(wordsIn(usage)))}`)];
  return `${indent}${name})\n${indent}  _arguments -s${all.map((spec) => ` \\\n${indent}    ${spec}`).join("")}\n${indent}  ;;\n`;
}

/** \`[…]\` and \`:\` have a meaning of their own in these. */
function zshSpec(flag: string, { value, help, repeat }: OptionSpec, offered: readonly string[]): string {
  const text = help.replace(/[[\]:\\]/g, (character) => `\\${character}`);
  return `${repeat ? "*" : ""}${flag}[${text}]${value === undefined ? "" : `:${value}:${zshAction(offered)}`}`;
}

/** With the space before it, nothing is put between its words. */
const zshAction = (offered: readonly string[]) =>
  offered.length === 0 ? "_files" : ` _cox_values ${offered.join(" ")}`;

function fishScript(commands: readonly Completed[]): string {
  const first = commands.map(
    ({ name, summary }) => `complete -c cox -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}\n`,
  );
  const rest = commands.flatMap((command) => {
    const seen = `__fish_seen_subcommand_from ${command.name}`;
    const { verbs } = command;
    if (verbs === undefined) return fishCommand(command, seen);
    const none = `${seen}; and not __fish_seen_subcommand_from ${verbs.map(({ name }) => name).join(" ")}`;
    return verbs.flatMap((verb) => [
      `complete -c cox -n '${none}' -f -a ${verb.name} -d ${quoted(verb.summary)}\n`,
      ...fishCommand(verb, `${seen}; and __fish_seen_subcommand_from ${verb.name}`),
    ]);
  });
  return `# fish completion for cox
function __cox_values
  cox completion values $argv -- (commandline -opc) 2>/dev/null
end
${first.join("")}${rest.join("")}`;
}

function fishCommand(command: Completed, when: string): string[] {
  const options = optionsOf(command).map(([name, option]) => {
    const { short, value, help } = option;
    const letter = short === undefined ? "" : ` -s ${short}`;
    const needs = value === undefined ? "" : " -r";
    const offered = fishOffered(listOf(offeredFor(name, option, command.usage)));
    return `complete -c cox -n '${when}' -l ${name}${letter}${needs}${offered} -d ${quoted(help)}\n`;
  });
  const words = fishOffered(listOf(wordsIn(command.usage)));
  return words === "" ? options : [...options, `complete -c cox -n '${when}'${words}\n`];
}

const fishOffered = (offered: readonly string[]) =>
  offered.length === 0 ? "" : ` -f -k -a '(__cox_values ${offered.join(" ")})'`;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
