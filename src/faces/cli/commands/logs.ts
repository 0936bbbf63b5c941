import { AppError } from "../../../contract/errors.ts";
import type { RecordedEvent } from "../../../contract/events.ts";
import { waitingFor } from "../../../contract/sessions/session-state.ts";
import { type NamedRun, openRun, whenEnded } from "../../../core/runs/run-access.ts";
import { eventsBackward, followEvents, readEvents } from "../../../core/store/events/event-reader.ts";
import { type Context, command } from "../../../lib/command/command.ts";
import { parseDuration } from "../../../lib/command/duration.ts";
import { plainPaint } from "../../../lib/command/paint.ts";
import { writeAll } from "../../../lib/command/write-all.ts";
import { readChunks } from "../../../lib/files/regular-file.ts";
import { tailFile } from "../../../lib/files/tail.ts";
import { printableJson } from "../../../lib/text/printable.ts";
import { count } from "../term-options.ts";
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
    since: {
      value: "TIME",
      help: "only what was said since then: 10m, 2h, 7d (ago), or 2026-08-01, 2026-08-01T12:00Z",
    },
    tail: { short: "n", value: "N", help: "only the last N lines" },
    json: { help: "print its events as JSON lines" },
    raw: { help: "print the bytes of the agent's stdout, exactly" },
    stderr: { help: "print the bytes of the agent's stderr, exactly" },
  },
  examples: ["cox logs latest -f --tail 20", "cox logs latest --json | jq -r 'select(.type == \"error\").message'"],
  async run({ values, positionals }, context) {
    if ([values.json, values.raw, values.stderr].filter(Boolean).length > 1) {
      throw new AppError("usage.invalid", "cox logs: give one of --json, --raw and --stderr");
    }
    const part: Part = { since: sinceOf(values.since, context), tail: count("--tail", values.tail) };
    if ((values.raw || values.stderr) && (values.since ?? values.tail) !== undefined) {
      throw new AppError("usage.invalid", "cox logs: bytes have no times and lines; --since and --tail are for events");
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
    const lines = values.json ? jsonLines(events) : transcript(events, named, isFollowing, context);
    await writeAll(
      context.stdout,
      onlyPart(lines, part, isFollowing ? lastSeqIn(paths.events) : Number.POSITIVE_INFINITY),
    );
    return 0;
  },
});

interface Part {
  /** An ISO time; "" is the beginning. */
  since: string;
  tail: number | undefined;
}

/** What came of an event, so far as that was printed; nothing may have come of it. */
interface Printed {
  text: string;
  /** Of the last event in it. */
  seq: number;
  at: string;
}

const lastSeqIn = (path: string): number => {
  for (const event of eventsBackward(path)) return event.seq;
  return 0;
};

/** Of what is there already the last lines, then all that comes. */
async function* onlyPart(
  printed: AsyncIterable<Printed>,
  { since, tail }: Part,
  lastSeq: number,
): AsyncGenerator<string> {
  let held: string[] = [];
  let isHeld = tail !== undefined;
  for await (const { text, seq, at } of printed) {
    if (at < since || text === "") continue;
    if (!isHeld) {
      yield text;
      continue;
    }
    held = [...held, ...text.split(/(?<=\n)/)].slice(-(tail ?? 0));
    if (seq < lastSeq) continue;
    isHeld = false;
    yield held.join("");
  }
  if (isHeld) yield held.join("");
}

function sinceOf(text: string | undefined, { clock }: Context): string {
  if (text === undefined) return "";
  const isDate = /^\d{4}-/.test(text);
  const isAgo = /^[\d.]+\s*(?:ms|s|m|h|d|)(?:\s+ago)?$/.test(text);
  const ago = text.replace(/\s+ago$/, "");
  const time = isDate ? Date.parse(text) : isAgo ? clock.now() - parseDuration("--since", ago) : Number.NaN;
  if (Number.isFinite(time)) return new Date(time).toISOString();
  throw new AppError(
    "usage.invalid",
    `--since ${JSON.stringify(text)}: not a time; use 90s, 10m, 2h or 7d (ago), or a date: 2026-08-01, 2026-08-01T12:00 (here), 2026-08-01T12:00Z`,
  );
}

type Events = Iterable<RecordedEvent[]> | AsyncIterable<RecordedEvent[]>;

async function printBytes(
  path: string,
  named: NamedRun,
  isFollowing: boolean,
  { stdout, clock }: Context,
): Promise<void> {
  await writeAll(stdout, isFollowing ? tailFile(path, { until: whenEnded(named, clock) }) : readChunks(path));
}

async function* jsonLines(batches: Events): AsyncGenerator<Printed> {
  for await (const events of batches) {
    for (const event of events) yield { text: `${printableJson(event)}\n`, seq: event.seq, at: event.at };
  }
}

async function* transcript(
  batches: Events,
  named: NamedRun,
  isFollowing: boolean,
  context: Context,
): AsyncGenerator<Printed> {
  const page = { width: context.stdout.columns || 120, paint: plainPaint(context.env) };
  let printed: Printed[] = [];
  let before = { seq: 0, at: "" };
  let last = before;
  const paper = new PlainPaper((text, isHeld) => printed.push({ text, ...(isHeld ? before : last) }));
  const scroll = new Scroll(paper, { thinking: true, render: false });
  const asked = new Set<string>();
  const ask = () => {
    for (const request of waitingFor(scroll.progress.state)) {
      if (asked.has(request.pendingId)) continue;
      asked.add(request.pendingId);
      paper.gap();
      paper.lines(renderAsk(request, named.info, page));
    }
  };
  const taken = (): Printed[] => {
    const taking = printed;
    printed = [];
    return taking;
  };
  for await (const events of batches) {
    for (const event of events) {
      before = last;
      last = { seq: event.seq, at: event.at };
      scroll.add(event, page);
      yield* taken();
    }
    if (isFollowing) ask();
    yield* taken();
  }
  before = last;
  paper.end();
  // What is open now is told, however long it has been.
  last = { ...last, at: "9999" };
  ask();
  const info = isFollowing ? await whenEnded(named, context.clock) : named.info;
  if (info.status !== "running") {
    last = { ...last, at: info.end_time };
    paper.gap();
    paper.lines(renderClosing(info, page));
  }
  yield* taken();
}
