import { AppError } from "../../contract/errors.ts";
import { kinds } from "../../faces/cli/completion/kinds.ts";
import { type Completed, scriptFor, shells } from "../../faces/cli/completion/script.ts";
import { type CommandSpec, type Context, command } from "../../lib/command/command.ts";
import { loadVerb } from "../../lib/command/group.ts";
import { type CommandName, commands } from "./index.ts";

export default command({
  name: "completion",
  summary: "Print a script that completes commands, options, and names of runs, tasks and agents in your shell.",
  usage: "cox completion bash|zsh|fish",
  options: {},
  examples: [
    "cox completion bash > ~/.local/share/bash-completion/completions/cox",
    'cox completion zsh > "${fpath[1]}/_cox"',
    "cox completion fish > ~/.config/fish/completions/cox.fish",
  ],
  async run({ positionals: [first, ...words] }, context) {
    if (first === "values") return printValues(words, context);
    const shell = shells.find((candidate) => candidate === first);
    if (shell === undefined || words.length > 0) {
      throw new AppError("usage.invalid", `cox completion: for which shell? use ${shells.join(", ")}`);
    }
    context.stdout.write(scriptFor(shell, await allCommands()));
    return 0;
  },
});

/** Asked by the scripts: kinds of names, words as they are, and after `cox` the line that is being typed. */
async function printValues(words: readonly string[], context: Context): Promise<number> {
  const { asLine, valuesOf } = await import("../../faces/cli/completion/values.ts");
  const begin = words.findIndex((word) => !word.startsWith("+") && !kinds.some((kind) => kind === word));
  const wanted = begin === -1 ? words : words.slice(0, begin);
  const line = begin === -1 ? [] : words.slice(begin);
  for (const kind of kinds.filter((candidate) => wanted.includes(candidate))) {
    for (const value of await valuesOf(kind, line, context)) context.stdout.write(asLine(value));
  }
  for (const word of wanted) if (word.startsWith("+")) context.stdout.write(`${word.slice(1)}\t\n`);
  return 0;
}

async function allCommands(): Promise<Completed[]> {
  const names = (Object.keys(commands) as CommandName[]).filter((name) => !commands[name].hidden);
  return Promise.all(
    names.map(async (name) => {
      const spec: Described = (await commands[name].load()).default;
      return { ...(await completedOf(name, spec)), summary: commands[name].summary };
    }),
  );
}

type Described = Pick<CommandSpec, "summary" | "usage" | "options" | "verbs">;

async function completedOf(name: string, { summary, usage, options, verbs }: Described): Promise<Completed> {
  if (verbs === undefined) return { name, summary, usage, options };
  const each = Object.entries(verbs).map(async ([verb, spec]) => {
    const { usage: how, options: own } = await loadVerb(spec);
    return { name: verb, summary: spec.summary, usage: how, options: own };
  });
  return { name, summary, usage, options, verbs: await Promise.all(each) };
}
