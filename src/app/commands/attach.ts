import { exitCodeOfRun } from "../../contract/runs/ending.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { readConfig } from "../../core/config/config-file.ts";
import { type NamedRun, openRun, tellRun, whenEnded } from "../../core/runs/run-access.ts";
import { Blobs } from "../../core/store/blobs.ts";
import { followEvents, lastTurn } from "../../core/store/events/event-reader.ts";
import { createView, type LiveView } from "../../faces/cli/view/index.ts";
import { type Context, command } from "../../lib/command/command.ts";
import { styleFor } from "../../lib/command/style.ts";

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
    const info = await watch(named, from, values, context);
    if (info === undefined) {
      context.stderr.write(`detached; run ${named.run.run_id} goes on: \`cox attach ${named.run.run_id}\`\n`);
      return 0;
    }
    return exitCodeOfRun(info);
  },
});

/** The final record, or nothing when the person left before the end. */
async function watch(
  named: NamedRun,
  from: number,
  wishes: { json?: boolean; quiet?: boolean },
  context: Context,
): Promise<RunInfo | undefined> {
  const leave = new AbortController();
  const detach = () => leave.abort();
  process.once("SIGINT", detach);
  const view = await open(named, wishes, context, detach);
  const ended = whenEnded(named, context.clock, leave.signal);
  try {
    const options = { from, signal: leave.signal, until: ended };
    for await (const events of followEvents(named.run.paths.events, options)) view.show(events);
    if (leave.signal.aborted) return undefined;
    const info = await ended;
    if (info.status === "running") return undefined;
    view.finish(info);
    return info;
  } finally {
    view.close();
    leave.abort();
    process.off("SIGINT", detach);
  }
}

async function open(
  named: NamedRun,
  wishes: { json?: boolean; quiet?: boolean },
  context: Context,
  detach: () => void,
): Promise<LiveView> {
  const { info, run } = named;
  const config = await readConfig(named.home.root);
  return createView({
    context,
    style: styleFor(wishes, context),
    interactive: info.mode === "interactive" && info.status === "running",
    header: { runId: run.run_id, agent: info.agent, model: info.model, cwd: info.cwd },
    send: (command) => tellRun(named, command, context),
    readBody: (body) => new Blobs(run.paths.blobs).text(body),
    onInterruptKey: detach,
    interruptKey: () => "detaches",
    onEnd: detach,
    thinking: config["view.thinking"],
    color: config.color,
  });
}
