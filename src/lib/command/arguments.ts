import { AppError } from "../../contract/errors.ts";
import { nearest } from "../text/nearest.ts";
import type { CommandInput, OptionSpec } from "./command.ts";

type Options = Readonly<Record<string, OptionSpec>>;

/**
 * Options and words of a command line. What people write begins with a dash as often as lists do, so only what is shaped like an
 * option is one: `- do this` is a word. An option that wants a value takes what comes next, unless that is an option itself.
 */
export function parseArguments(command: string, options: Options, args: readonly string[]): CommandInput<Options> {
  const values: Record<string, string | boolean | string[]> = {};
  const positionals: string[] = [];
  const refuse = (why: string): never => {
    throw new AppError("usage.invalid", `cox ${command}: ${why}; see \`cox ${command} --help\``);
  };
  const put = (name: string, value: string | true) => {
    const before = values[name];
    if (!options[name]?.repeat || value === true) values[name] = value;
    else values[name] = [...(Array.isArray(before) ? before : []), value];
  };
  const rest = [...args];
  /** The value of an option that is said without one. */
  const take = (flag: string): string => {
    const next = rest.shift();
    if (next === undefined || next === "--") return refuse(`${flag}: what? it needs a value`);
    const looksLike = optionMeant(next, options);
    if (looksLike === undefined) return next;
    const meant = looksLike === next ? `${next} is an option` : `${next} looks like ${looksLike}`;
    const joined = flag.startsWith("--") ? `${flag}=${next}` : `${flag}${next}`;
    return refuse(`${flag}: what? it needs a value, and ${meant}; if it is the value, say ${joined}`);
  };
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") {
      positionals.push(...rest);
      break;
    }
    const long = LONG.exec(arg);
    if (long !== null) {
      const [, name = "", value] = long;
      const spec = Object.hasOwn(options, name) ? options[name] : undefined;
      if (spec === undefined) return refuse(unknown(`--${name}`, options));
      if (spec.value !== undefined) put(name, value ?? take(`--${name}`));
      else if (value === undefined) put(name, true);
      else return refuse(`--${name}: takes no value`);
      continue;
    }
    const letters = lettersOf(arg, options);
    if (letters === undefined) {
      positionals.push(arg);
      continue;
    }
    for (const [at, letter] of letters.entries()) {
      const name = nameOf(letter, options);
      if (name === undefined) return refuse(unknown(letters.length === 1 ? arg : `-${letter} (of ${arg})`, options));
      if (options[name]?.value === undefined) put(name, true);
      else {
        put(name, letters.slice(at + 1).join("") || take(`-${letter}`));
        break;
      }
    }
  }
  return { values: values as never, positionals };
}

/** `--name` and `--name=value`; with a blank in its name it is a sentence. */
const LONG = /^--([A-Za-z][\w-]*)(?:=([^]*))?$/;

/** `-d`, `-dq`, `-mMODEL`; undefined for what is no option. After a letter that takes a value anything may come. */
function lettersOf(arg: string, options: Options): string[] | undefined {
  if (!/^-[A-Za-z]/.test(arg)) return undefined;
  const letters = Array.from(arg.slice(1));
  const name = nameOf(letters[0] ?? "", options);
  const takesAnything = name !== undefined && options[name]?.value !== undefined;
  return takesAnything || !/\s/.test(arg) ? letters : undefined;
}

const nameOf = (letter: string, options: Options): string | undefined =>
  Object.keys(options).find((name) => options[name]?.short === letter);

/** The option that a word is, or that it was meant to be. */
function optionMeant(word: string, options: Options): string | undefined {
  const [, name] = LONG.exec(word) ?? [];
  if (name !== undefined) {
    if (Object.hasOwn(options, name)) return word;
    const [near] = nearest(name, Object.keys(options));
    return near === undefined ? undefined : `--${near}`;
  }
  return /^-[A-Za-z]$/.test(word) && nameOf(word.slice(1), options) !== undefined ? word : undefined;
}

function unknown(flag: string, options: Options): string {
  const [near] = flag.startsWith("--") ? nearest(flag.slice(2), Object.keys(options)) : [];
  const hint = near === undefined ? "if it is no option, write -- before it" : `did you mean --${near}?`;
  return `${flag}: no such option; ${hint}`;
}
