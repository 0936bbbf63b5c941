import { parseArgs } from "node:util";
import { AppError, messageOf } from "../../contract/errors.ts";
import type { Clock } from "../base/clock.ts";

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
  const input = parse(spec, args);
  requireWords(spec, input.positionals);
  return spec.run(input, context);
}

function parse(spec: CommandSpec, args: readonly string[]): CommandInput<Readonly<Record<string, OptionSpec>>> {
  const options = Object.fromEntries(
    Object.entries(spec.options).map(([name, { short, value, repeat }]) => [
      name,
      {
        type: value === undefined ? "boolean" : "string",
        multiple: repeat === true,
        ...(short ? { short } : {}),
      } as const,
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    return { values: values as never, positionals };
  } catch (error) {
    throw new AppError(
      "usage.invalid",
      `cox ${spec.name}: ${whyOf(error)}; see \`cox ${spec.name} --help\``,
      {},
      { cause: error },
    );
  }
}

/** Node's words on one line: the first sentence says what is wrong, and of several lines the last says what to do. */
function whyOf(error: unknown): string {
  const [first = "", ...more] = messageOf(error).split("\n");
  return [first.split(". ")[0] ?? "", ...more.slice(-1)].map((part) => part.replace(/\.$/, "")).join("; ");
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).some((arg) => arg === "--help" || arg === "-h");
}

export function helpOf(spec: CommandSpec): string {
  const rows = Object.entries(spec.options).map(([name, option]): [string, string] => {
    const short = option.short === undefined ? "    " : `-${option.short}, `;
    const value = option.value === undefined ? "" : ` ${option.value}`;
    return [`  ${short}--${name}${value}`, option.help];
  });
  const width = Math.max(0, ...rows.map(([left]) => left.length)) + 2;
  const parts = [`${spec.summary}\n\nUsage: ${spec.usage}\n`];
  if (spec.verbs) parts.push(`\n${listOf(spec.verbs)}\nHelp on one of them: cox ${spec.name} VERB --help\n`);
  if (rows.length > 0)
    parts.push(`\nOptions:\n${rows.map(([left, right]) => `${left.padEnd(width)}${right}\n`).join("")}`);
  if (spec.examples) parts.push(`\nExamples:\n${spec.examples.map((line) => `  ${line}\n`).join("")}`);
  return parts.join("");
}

/** Names and what each does, in a column. */
export function listOf(
  verbs: Readonly<Record<string, { summary: string }>>,
  width = Math.max(...Object.keys(verbs).map((name) => name.length)) + 2,
): string {
  return Object.entries(verbs)
    .map(([name, { summary }]) => `  ${name.padEnd(width)}${inList(summary)}\n`)
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
