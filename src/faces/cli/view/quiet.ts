import type { RecordedEvent } from "../../../contract/events.ts";
import { runName } from "../../../contract/ids.ts";
import { endingOf } from "../../../contract/runs/ending.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { waitingFor } from "../../../contract/sessions/session-state.ts";
import { addEvent, emptyTranscript, finalAnswer } from "../../../contract/sessions/transcript.ts";
import { plainPaint } from "../../../lib/command/paint.ts";
import { oneLine, printable } from "../../../lib/text/printable.ts";
import type { LiveView, ViewOptions } from "./index.ts";
import { renderAsk } from "./lines/request-lines.ts";

/** Only the final answer, or why there is none. A request nobody can see would hang for ever, so it goes to stderr. */
export class QuietView implements LiveView {
  readonly #options: ViewOptions;
  readonly #transcript = emptyTranscript();
  readonly #asked = new Set<string>();

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  show(events: readonly RecordedEvent[]): void {
    const { items } = this.#transcript;
    for (const event of events) {
      // What tools print is not needed, and may be large.
      if (event.type !== "tool_update") addEvent(this.#transcript, event);
    }
    items.splice(0, lastBreak(items));
    for (const request of waitingFor(this.#transcript.state)) {
      if (this.#asked.has(request.pendingId)) continue;
      this.#asked.add(request.pendingId);
      const { context, header } = this.#options;
      const lines = renderAsk(request, header, {
        width: context.stderr.columns || 120,
        paint: plainPaint(context.env),
      });
      context.stderr.write(`${lines.join("\n")}\n`);
    }
  }

  finish(info: RunInfo): void {
    const { stdout, stderr } = this.#options.context;
    const answer = finalAnswer(this.#transcript.items);
    if (answer !== "") stdout.write(`${stdout.isTTY ? printable(answer) : answer}\n`);
    if (info.status !== "failed") return;
    const why = info.error_summary === "" ? "" : `: ${oneLine(info.error_summary)}`;
    stderr.write(`cox: run ${runName(info)} ${endingOf(info)}${why}\n`);
  }

  close(): void {}
}

/** Where the last words begin: nothing before them is needed any more. */
function lastBreak(items: readonly { kind: string }[]): number {
  const last = items.findLastIndex(({ kind }) => kind === "message");
  for (let at = last; at >= 0; at -= 1) if (items[at]?.kind !== "message") return at;
  return 0;
}
