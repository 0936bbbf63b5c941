import { closeSync } from "node:fs";
import type { AgentEvent, ConfigOption, EventOf, QueuedPrompt, RecordedEvent } from "../../../contract/events.ts";
import { advance, type SessionState, starting, stateTypes } from "../../../contract/sessions/session-state.ts";
import { contextWindow } from "../../../contract/sessions/transcript.ts";
import { seqOf, typeAt } from "../../../core/store/events/event-bytes.ts";
import { eventJournal } from "../../../core/store/events/event-reader.ts";
import type { RecordedRequest } from "../../../core/store/events/recent-state.ts";
import { lineSlices, openRegularFile } from "../../../lib/files/regular-file.ts";

/** How a run stands, of its events: everything about it that isn't what was said. */
export interface RunFold {
  state: SessionState<RecordedRequest>;
  lastSeq: number;
  queue: readonly QueuedPrompt[];
  options: readonly ConfigOption[];
  commands: EventOf<"commands">["commands"];
  can: readonly string[];
  context: ReturnType<typeof contextWindow> | undefined;
  /** Bytes of the log that are in it. */
  offset: number;
}

const blank = (): RunFold => ({
  state: starting,
  lastSeq: 0,
  queue: [],
  options: [],
  commands: [],
  can: [],
  context: undefined,
  offset: 0,
});

/** Words and tools, most of a log, change nothing of it and are not even parsed. */
const counted: ReadonlySet<string> = new Set<AgentEvent["type"]>([
  ...stateTypes,
  "config_options",
  "commands",
  "prompt_queue",
  "context_window",
]);

/** Folds logs, and goes on from where it was when it is asked again. */
export class RunFolds {
  readonly #known = new Map<string, RunFold>();

  of(runId: string, eventsPath: string): RunFold {
    const fold = this.#known.get(runId) ?? blank();
    this.#known.delete(runId);
    this.#known.set(runId, fold);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return readOn(fold, eventsPath);
  }
}

const MAX_KNOWN = 200;

function readOn(fold: RunFold, path: string): RunFold {
  const file = openRegularFile(path);
  if (file === undefined) return fold;
  try {
    if (file.size < fold.offset) Object.assign(fold, blank());
    for (const lines of lineSlices(file.fd, fold.offset, file.size)) {
      fold.offset += lines.length;
      addLines(fold, lines);
    }
  } finally {
    closeSync(file.fd);
  }
  return fold;
}

function addLines(fold: RunFold, lines: Buffer): void {
  let from = 0;
  for (let to = lines.indexOf(LF); to !== -1; to = lines.indexOf(LF, from)) {
    const seq = seqOf(lines, from, to);
    if (seq > 0) {
      fold.lastSeq = seq;
      const type = typeAt(lines, from, to);
      const event = type !== undefined && !counted.has(type) ? undefined : eventJournal.parseLine(lines, from, to);
      if (event !== undefined) add(fold, event);
    }
    from = to + 1;
  }
}

function add(fold: RunFold, event: RecordedEvent): void {
  fold.state = advance<RecordedRequest>(fold.state, event);
  switch (event.type) {
    case "session_status":
      if ("can" in event && event.can !== undefined) fold.can = event.can;
      return;
    case "config_options":
      fold.options = event.options;
      return;
    case "commands":
      fold.commands = event.commands;
      return;
    case "prompt_queue":
      fold.queue = event.prompts;
      return;
    case "context_window":
      fold.context = contextWindow(event);
      return;
    default:
      return;
  }
}

const LF = 10;
