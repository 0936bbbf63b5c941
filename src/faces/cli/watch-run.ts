import type { RecordedEvent } from "../../contract/events.ts";
import { runName } from "../../contract/ids.ts";
import type { RunInfo } from "../../contract/runs/run.ts";
import { readConfig } from "../../core/config/config-file.ts";
import { type NamedRun, tellRun, whenEnded } from "../../core/runs/run-access.ts";
import { Blobs } from "../../core/store/blobs.ts";
import { followEvents } from "../../core/store/events/event-reader.ts";
import type { Context } from "../../lib/command/command.ts";
import { styleFor } from "../../lib/command/style.ts";
import { isTerminalLost } from "../../lib/process/terminal/lost.ts";
import { createView, type LiveView, type ViewOptions } from "./view/index.ts";

/** What the person does to a run that lives in another process. */
export interface Hands {
  /** Ctrl-C. */
  interrupt(): void;
  /** What that does next. */
  interruptKey(): string;
  /** /quit, and the end of what is piped in, where prompts are read. */
  end(): void;
  says?: ViewOptions["says"];
  /** Told to end by another program; without it, it leaves. */
  terminate?(): void;
  saw?(events: readonly RecordedEvent[]): void;
}

export interface Watching {
  /** Where in its log to begin. */
  from: number;
  json?: boolean | undefined;
  quiet?: boolean | undefined;
  hands(named: NamedRun, detach: () => void): Hands;
}

/**
 * A run of another process, shown here until it ends: its final record. Nothing, when the person left before that or their
 * terminal did; the run goes on then.
 */
export async function watchRun(named: NamedRun, watching: Watching, context: Context): Promise<RunInfo | undefined> {
  const leave = new AbortController();
  const detach = () => leave.abort();
  const hands = watching.hands(named, detach);
  const letGo = listen({ SIGINT: hands.interrupt, SIGTERM: hands.terminate ?? detach, SIGHUP: detach });
  context.onOutputGone(detach);
  const view = await open(named, watching, hands, detach, context);
  const ended = whenEnded(named, context.clock, leave.signal);
  try {
    const options = { from: watching.from, signal: leave.signal, until: ended };
    for await (const events of followEvents(named.run.paths.events, options)) {
      view.show(events);
      hands.saw?.(events);
    }
    if (leave.signal.aborted) return undefined;
    const info = await ended;
    if (info.status === "running") return undefined;
    view.finish(info);
    return info;
  } finally {
    view.close();
    leave.abort();
    letGo();
  }
}

export const wayBack = ({ run }: NamedRun): string =>
  `detached; run ${runName(run)} goes on: \`cox attach ${runName(run)}\`\n`;

async function open(
  { home, run, info }: NamedRun,
  wishes: Watching,
  hands: Hands,
  detach: () => void,
  context: Context,
): Promise<LiveView> {
  const config = await readConfig(home.root);
  return createView({
    context,
    style: styleFor(wishes, context),
    interactive: info.mode === "interactive" && info.status === "running",
    header: info,
    send: (command) => tellRun({ home, run, info }, command, context),
    readBody: (body) => new Blobs(run.paths.blobs).text(body),
    onInterruptKey: hands.interrupt,
    interruptKey: hands.interruptKey,
    onDetachKey: detach,
    // What a terminal says last when it hangs up is the end of its input.
    onEnd: () => (isTerminalLost() ? detach() : hands.end()),
    onTerminalGone: detach,
    says: hands.says,
    thinking: config["view.thinking"],
    color: config.color,
  });
}

function listen(signals: Partial<Record<NodeJS.Signals, () => void>>): () => void {
  const known = Object.entries(signals);
  for (const [signal, call] of known) process.on(signal, call);
  return () => {
    for (const [signal, call] of known) process.off(signal, call);
  };
}
