import { AppError } from "../../contract/errors.ts";
import { type Completed, scriptFor, shells } from "../../faces/cli/completion-script.ts";
import { type CommandSpec, command } from "../../lib/command/command.ts";
import { loadVerb } from "../../lib/command/group.ts";
import { type CommandName, commands } from "./index.ts";

export default command({
  name: "completion",
  summary: "Print a script that completes commands and options in your shell.",
  usage: "cox completion bash|zsh|fish",
  options: {},
  examples: [
    "cox completion bash > ~/.local/share/bash-completion/completions/cox",
    'cox completion zsh > "${fpath[1]}/_cox"',
    "cox completion fish > ~/.config/fish/completions/cox.fish",
  ],
  async run({ positionals }, { stdout }) {
    const shell = shells.find((candidate) => candidate === positionals[0]);
    if (shell === undefined || positionals.length > 1) {
      throw new AppError("usage.invalid", `cox completion: for which shell? use ${shells.join(", ")}`);
    }
    stdout.write(scriptFor(shell, await allCommands()));
    return 0;
  },
});

async function allCommands(): Promise<Completed[]> {
  const names = (Object.keys(commands) as CommandName[]).filter((name) => !commands[name].hidden);
  return Promise.all(
    names.map(async (name) => {
      const spec: Described = (await commands[name].load()).default;
      return { ...(await completedOf(name, spec)), summary: commands[name].summary };
    }),
  );
}

type Described = Pick<CommandSpec, "summary" | "options" | "verbs">;

async function completedOf(name: string, { summary, options, verbs }: Described): Promise<Completed> {
  if (verbs === undefined) return { name, summary, options };
  const each = Object.entries(verbs).map(async ([verb, spec]) => {
    const { options: own } = await loadVerb(spec);
    return { name: verb, summary: spec.summary, options: own };
  });
  return { name, summary, options, verbs: await Promise.all(each) };
}
