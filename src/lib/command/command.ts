import { AppError } from "../../contract/errors.ts";
import type { Clock } from "../base/clock.ts";
import { parseArguments } from "./arguments.ts";
import { wrap } from "./columns.ts";

/** What a command works with; tests hand in their own. */
export interface Context {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  clock: Clock;
  /** What to do when nobody reads our output any more; by default the process ends. */
  onOutputGone(call: () => void): void;
}

export interface OptionSpec {
  /** One letter. */
  short?: string;
  /** What the value is called in the help; without it the option is a switch. */
  value?: string;
  /** What it takes, for shells that complete it; `on|off` says it by itself. */
  choices?: readonly string[];
  repeat?: boolean;
  help: string;
}

export interface CommandSpec<
  Options extends Readonly<Record<string, OptionSpec>> = Readonly<Record<string, OptionSpec>>,
> {
  name: string;
  summary: string;
  /** `cox run [PROMPT]` */
  usage: string;
  /** How many words it takes besides its options; without it, any number. */
  words?: readonly [min: number, max: number];
  options: Options;
  /** Of a command that can do several things: what. */
  verbs?: Readonly<Record<string, Verb>>;
  examples?: readonly string[];
  /** Whatever comes is a word of it, also what begins with a dash: it stands where others pass a prompt on. */
  raw?: true;
  run(input: CommandInput<Options>, context: Context): Promise<number> | number;
}

/** One thing a command with several can do: a command itself. What needs much is loaded when it is wanted. */
export type Verb = CommandSpec | { summary: string; load(): Promise<{ default: CommandSpec }> };

export interface CommandInput<Options extends Readonly<Record<string, OptionSpec>>> {
  values: { readonly [K in keyof Options]?: ValueOf<Options[K]> };
  positionals: readonly string[];
}

type ValueOf<O extends OptionSpec> = O extends { repeat: true }
  ? string[]
  : O extends { value: string }
    ? string
    : boolean;

/** Keeps the types of the options, so that `values.timeout` is known to be a string. */
export function command<const Options extends Readonly<Record<string, OptionSpec>>>(
  spec: CommandSpec<Options>,
): CommandSpec<Options> {
  return spec;
}

/** `--help` is the same everywhere, and an unknown option names the command that knows them. */
export async function runCommand(spec: CommandSpec, args: readonly string[], context: Context): Promise<number> {
  if (spec.raw) return spec.run({ values: {}, positionals: args }, context);
  if (asksForHelp(args)) {
    context.stdout.write(helpOf(spec));
    return 0;
  }
  const input = parseArguments(spec.name, spec.options, args);
  requireWords(spec, input.positionals);
  return spec.run(input, context);
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).some((arg) => arg === "--help" || arg === "-h");
}

/** Read in any window: no line of it is longer. */
export const HELP_WIDTH = 100;

export function helpOf(spec: CommandSpec): string {
  const rows = Object.entries(spec.options).map(([name, option]): [string, string] => {
    const short = option.short === undefined ? "    " : `-${option.short}, `;
    const value = option.value === undefined ? "" : ` ${option.value}`;
    return [`  ${short}--${name}${value}`, option.help];
  });
  const parts = [`${wrap(spec.summary, HELP_WIDTH).join("\n")}\n\n${inColumns([["Usage: ", spec.usage]], 7)}`];
  if (spec.verbs) parts.push(`\n${listOf(spec.verbs)}\nHelp on one of them: cox help ${spec.name} VERB\n`);
  if (rows.length > 0) parts.push(`\nOptions:\n${inColumns(rows, Math.max(...rows.map(([left]) => left.length)) + 2)}`);
  if (spec.examples) parts.push(`\nExamples:\n${spec.examples.map((line) => `  ${line}\n`).join("")}`);
  return parts.join("");
}

/** Names and what each does, in a column. */
export function listOf(
  verbs: Readonly<Record<string, { summary: string }>>,
  width = Math.max(...Object.keys(verbs).map((name) => name.length)) + 2,
): string {
  const rows = Object.entries(verbs).map(([name, { summary }]): [string, string] => [`  ${name}`, inList(summary)]);
  return inColumns(rows, width + 2);
}

/** What is long goes on below itself. */
function inColumns(rows: readonly (readonly [left: string, right: string])[], width: number): string {
  return rows
    .flatMap(([left, right]) =>
      wrap(right, HELP_WIDTH - width).map((row, index) => `${(index === 0 ? left : "").padEnd(width)}${row}\n`),
    )
    .join("");
}

/** A sentence as an entry of a list. */
const inList = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");

function requireWords({ name, usage, words: limits }: CommandSpec, given: readonly string[]): void {
  const [min, max] = limits ?? [0, Number.POSITIVE_INFINITY];
  if (given.length >= min && given.length <= max) return;
  const why = given.length < min ? "something is missing" : "too many words";
  throw new AppError("usage.invalid", `cox ${name}: ${why}; usage: ${usage}`);
}
