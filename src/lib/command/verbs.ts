import { AppError } from "../../contract/errors.ts";

/** One thing a command with several can do: how many words it takes, and which options mean something to it. */
export interface Verb<Option extends string> {
  usage: string;
  words: readonly [min: number, max: number];
  options: readonly Option[];
}

/** The first word says what to do. An option that has no meaning there is refused, so that nobody believes it had one. */
export function chooseVerb<const Name extends string, Option extends string>(
  command: string,
  verbs: Readonly<Record<Name, Verb<Option>>>,
  { values, positionals }: { values: Readonly<Partial<Record<Option, unknown>>>; positionals: readonly string[] },
): { verb: Name; words: readonly string[] } {
  const [name, ...words] = positionals;
  const known = Object.keys(verbs) as Name[];
  const verb = known.find((candidate) => candidate === name);
  if (verb === undefined) {
    const what = name === undefined ? "what to do?" : `${name}: unknown;`;
    throw misuse(command, `${what} say ${known.join(", ")}`);
  }
  const { usage, options } = verbs[verb];
  const [min, max] = verbs[verb].words;
  if (words.length < min) throw misuse(command, `${verb}: something is missing; usage: ${usage}`);
  if (words.length > max) throw misuse(command, `${verb}: too many words; usage: ${usage}`);
  const stray = (Object.keys(values) as Option[]).find((key) => values[key] !== undefined && !options.includes(key));
  if (stray !== undefined) throw misuse(command, `${verb}: --${stray} has no meaning here; usage: ${usage}`);
  return { verb, words };
}

const misuse = (command: string, why: string) =>
  new AppError("usage.invalid", `cox ${command}: ${why}; see \`cox ${command} --help\``);
