import { AppError } from "../../../contract/errors.ts";
import type { RecordedEvent } from "../../../contract/events.ts";
import { waitingFor } from "../../../contract/runs/session-state.ts";
import { type NamedRun, openRun, whenEnded } from "../../../core/runs/run-access.ts";
import { followEvents, readEvents } from "../../../core/store/events/event-reader.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { noColours } from "../../../lib/command/paint.ts";
import { writeAll } from "../../../lib/command/write-all.ts";
import { readChunks } from "../../../lib/files/regular-file.ts";
import { tailFile } from "../../../lib/files/tail.ts";
import { printableJson } from "../../../lib/text/printable.ts";
import { renderClosing } from "../view/lines/closing-line.ts";
import { PlainPaper } from "../view/lines/plain-paper.ts";
import { renderAsk } from "../view/lines/request-lines.ts";
import { Scroll } from "../view/lines/scroll.ts";

export default command({
  name: "logs",
  summary: "Print what a run said and did.",
  usage: "cox logs RUN [options]",
  words: [1, 1],
  options: {
    follow: { short: "f", help: "go on until the run has ended" },
    json: { help: "print its events as JSON lines" },
    raw: { help: "print the bytes of the agent's stdout, exactly" },
    stderr: { help: "print the bytes of the agent's stderr, exactly" },
  },
  examples: ["cox logs latest -f", "cox logs latest --json | jq -r 'select(.type == \"error\").message'"],
  async run({ values, positionals }, context) {
    if ([values.json, values.raw, values.stderr].filter(Boolean).length > 1) {
      throw new AppError("usage.invalid", "cox logs: give one of --json, --raw and --stderr");
    }
    const named = await openRun(context, positionals[0] ?? "");
    const { paths } = named.run;
    const isFollowing = values.follow === true && named.info.status === "running";
    if (values.raw || values.stderr) {
      await printBytes(values.raw ? paths.stdout : paths.stderr, named, isFollowing, context);
      return 0;
    }
    const events = isFollowing
      ? followEvents(paths.events, { until: whenEnded(named, context.clock) })
      : readEvents(paths.events);
    if (values.json) await writeAll(context.stdout, jsonLines(events));
    else await printTranscript(events, named, isFollowing, context);
    return 0;
  },
});

type Events = Iterable<RecordedEvent[]> | AsyncIterable<RecordedEvent[]>;

async function printBytes(
  path: string,
  named: NamedRun,
  isFollowing: boolean,
  { stdout, clock }: Context,
): Promise<void> {
  await writeAll(stdout, isFollowing ? tailFile(path, { until: whenEnded(named, clock) }) : readChunks(path));
}

async function* jsonLines(batches: Events): AsyncGenerator<string> {
  for await (const events of batches) yield events.map((event) => `${printableJson(event)}\n`).join("");
}

async function printTranscript(
  batches: Events,
  named: NamedRun,
  isFollowing: boolean,
  context: Context,
): Promise<void> {
  const page = { width: context.stdout.columns || 120, paint: noColours };
  let text = "";
  const paper = new PlainPaper((part) => {
    text += part;
  });
  const scroll = new Scroll(paper, true);
  const asked = new Set<string>();
  const ask = () => {
    for (const request of waitingFor(scroll.progress.state)) {
      if (asked.has(request.pendingId)) continue;
      asked.add(request.pendingId);
      paper.gap();
      paper.lines(renderAsk(request, { runId: named.run.run_id, cwd: named.info.cwd }, page));
    }
  };
  async function* pages(): AsyncGenerator<string> {
    for await (const events of batches) {
      for (const event of events) scroll.add(event, page);
      if (isFollowing) ask();
      yield text;
      text = "";
    }
    ask();
    const info = isFollowing ? await whenEnded(named, context.clock) : named.info;
    paper.gap();
    if (info.status !== "running") paper.lines(renderClosing(info, page));
    yield text;
  }
  await writeAll(context.stdout, pages());
}
