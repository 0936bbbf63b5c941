import { AppError } from "../../contract/errors.ts";
import { exitCodeOfRun } from "../../contract/runs/ending.ts";
import { type NamedRun, openRun } from "../../core/runs/run-access.ts";
import { lastTurn } from "../../core/store/events/event-reader.ts";
import { homeAt, homePath } from "../../core/store/home.ts";
import { readClaims } from "../../core/store/runs/claims.ts";
import { nameOfRun } from "../../core/store/runs/find-run.ts";
import { heal } from "../../core/tasks/heal.ts";
import { type Hands, watchRun, wayBack } from "../../faces/cli/watch-run.ts";
import { type Context, command } from "../../lib/command/command.ts";

export default command({
  name: "attach",
  summary:
    "Watch a run live, answer it and give it prompts; Ctrl-C detaches, the run goes on. Or use a hosted terminal; Ctrl-] detaches.",
  usage: "cox attach [RUN|SOCKET|URL|hub:ID] [options]",
  examples: [
    "cox attach                   the only run that is live",
    "cox attach latest --tail",
    "cox attach /tmp/me.sock      a hosted terminal",
  ],
  words: [0, 1],
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
    const named = await openRun(context, positionals[0] ?? (await theOnlyRun(context)));
    const from = values.tail ? lastTurn(named.run.paths.events) : 0;
    const { json, quiet } = values;
    const info = await watchRun(named, { from, json, quiet, hands: leaving }, context);
    if (info !== undefined) return exitCodeOfRun(info);
    context.stderr.write(wayBack(named));
    return 0;
  },
});

async function theOnlyRun({ env, clock }: Context): Promise<string> {
  const home = homeAt(homePath(env));
  await heal(home, clock);
  const live = readClaims(home).map(({ runId }) => nameOfRun(home, runId));
  const [only] = live;
  if (live.length === 1 && only !== undefined) return only;
  const why =
    live.length === 0
      ? "no run is live; `cox attach latest` shows the last one"
      : `${live.length} runs are live; say which: ${live.join(", ")}`;
  throw new AppError(live.length === 0 ? "run.not_found" : "run.ambiguous", `cox attach: ${why}`);
}

/** Whoever came to look leaves as they came. */
const leaving = (_: NamedRun, detach: () => void): Hands => ({
  interrupt: detach,
  interruptKey: () => "leaves, ? keys",
  end: detach,
  says: { ctrlC: "leaves; the run goes on", quit: "leaves; the run goes on" },
});
