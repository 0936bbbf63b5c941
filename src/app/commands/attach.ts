import { exitCodeOfRun } from "../../contract/runs/ending.ts";
import { type NamedRun, openRun } from "../../core/runs/run-access.ts";
import { lastTurn } from "../../core/store/events/event-reader.ts";
import { type Hands, watchRun, wayBack } from "../../faces/cli/watch-run.ts";
import { command } from "../../lib/command/command.ts";

export default command({
  name: "attach",
  summary:
    "Watch a run live, answer it and give it prompts; Ctrl-C detaches, the run goes on. Or use a hosted terminal; Ctrl-] detaches.",
  usage: "cox attach RUN|SOCKET|URL|hub:ID [options]",
  words: [1, 1],
  options: {
    tail: { help: "begin with the turn under way, not with the beginning of the run" },
    json: { help: "print events as JSON lines" },
    quiet: { short: "q", help: "wait, then print only the final answer" },
    watch: { help: "only look (a hosted terminal)" },
  },
  async run({ values, positionals }, context) {
    const { isTerminalTarget, targetOf } = await import("../../terminal/host/client.ts");
    if (isTerminalTarget(positionals[0] ?? "")) {
      const { attachTerminal } = await import("../attach-terminal.ts");
      return attachTerminal(targetOf(positionals[0], context.env), values.watch === true, context);
    }
    const named = await openRun(context, positionals[0] ?? "");
    const from = values.tail ? lastTurn(named.run.paths.events) : 0;
    const { json, quiet } = values;
    const info = await watchRun(named, { from, json, quiet, hands: leaving }, context);
    if (info !== undefined) return exitCodeOfRun(info);
    context.stderr.write(wayBack(named));
    return 0;
  },
});

/** Whoever came to look leaves as they came. */
const leaving = (_: NamedRun, detach: () => void): Hands => ({
  interrupt: detach,
  interruptKey: () => "detaches",
  end: detach,
});
