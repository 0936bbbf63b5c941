import { openRun } from "../../core/runs/run-access.ts";
import { runOptions } from "../../faces/cli/run-options.ts";
import { type Context, command } from "../../lib/command/command.ts";

const { agent, profile, model, project, task, cwd, on, network, worktree, permissions } = runOptions;

export default command({
  name: "chat",
  summary: "Talk with an agent: Enter sends, Esc interrupts, /model and /mode switch, Ctrl-D leaves. The run goes on.",
  usage: "cox chat [RUN] [options]",
  words: [0, 1],
  options: { agent, profile, model, project, task, cwd, on, network, worktree, permissions },
  examples: [
    "cox chat                        a new conversation in this folder",
    "cox chat latest                 go on with the last one, live or closed",
    "/model                          which models there are; /model NAME takes one",
  ],
  async run({ values, positionals }, context: Context) {
    const [name] = positionals;
    const { beginChat, Chat } = await import("../chat.ts");
    if (name === undefined) return new Chat(context, await beginChat(values, context), { isNew: true }).talk();
    return new Chat(context, await openRun(context, name), { isNew: false }).talk();
  },
});
