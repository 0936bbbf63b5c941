import { AppError } from "../../contract/errors.ts";
import { type CommandSpec, helpOf, runCommand, type Verb } from "./command.ts";

interface GroupSpec {
  name: string;
  summary: string;
  verbs: Readonly<Record<string, Verb>>;
  /** What is done where no verb is said. */
  otherwise?: string;
  examples?: readonly string[];
}

/** `cox X Y`: the first word after the command says what to do, and has options and a help of its own. */
export function group({ otherwise, ...words }: GroupSpec): CommandSpec {
  const { name, verbs } = words;
  const spec: CommandSpec = {
    ...words,
    usage: `cox ${name} ${otherwise === undefined ? "VERB" : "[VERB]"} [options]${otherwise === undefined ? "" : `      without a verb: ${otherwise}`}`,
    options: otherwise === undefined ? {} : optionsOf(verbs[otherwise]),
    raw: true,
    async run({ positionals }, context) {
      const [first, ...rest] = positionals;
      const isHelp = first === "--help" || first === "-h" || first === "help";
      if (isHelp && rest[0] !== undefined) return spec.run({ values: {}, positionals: [...rest, "--help"] }, context);
      if (isHelp) {
        context.stdout.write(helpOf(spec));
        return 0;
      }
      const isSaid = first !== undefined && !first.startsWith("-");
      const said = isSaid ? first : (otherwise ?? "");
      const verb = Object.hasOwn(verbs, said) ? verbs[said] : undefined;
      if (verb !== undefined) return runCommand(await loadVerb(verb), isSaid ? rest : positionals, context);
      const why =
        first === undefined ? "what to do?" : isSaid ? `${first}: unknown;` : `${first}: what to do comes first;`;
      throw new AppError(
        "usage.invalid",
        `cox ${name}: ${why} say ${Object.keys(verbs).join(", ")}; see \`cox ${name} --help\``,
      );
    },
  };
  return spec;
}

/** What can be said without a verb is in the help and in completions, too. */
const optionsOf = (verb: Verb | undefined): CommandSpec["options"] =>
  verb === undefined || "load" in verb ? {} : verb.options;

export const loadVerb = async (verb: Verb): Promise<CommandSpec> =>
  "load" in verb ? (await verb.load()).default : verb;
