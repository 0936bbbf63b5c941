import type { SentCommand } from "../../../contract/commands.ts";
import { messageOf } from "../../../contract/errors.ts";
import type { RecordedEvent } from "../../../contract/events.ts";
import { canRemember } from "../../../contract/requests/policy.ts";
import { replyFrom } from "../../../contract/requests/reply.ts";
import type { RunInfo } from "../../../contract/runs/run.ts";
import { type OpenRequest, waitingFor } from "../../../contract/sessions/session-state.ts";
import { randomUUID } from "../../../lib/base/crypto.ts";
import { wrap } from "../../../lib/command/columns.ts";
import { type Page, plainPaint } from "../../../lib/command/paint.ts";
import { LineSplitter } from "../../../lib/text/lines.ts";
import { printable } from "../../../lib/text/printable.ts";
import type { LiveView, ViewOptions } from "./index.ts";
import { renderClosing } from "./lines/closing-line.ts";
import { renderHeader } from "./lines/header-line.ts";
import { HELP, QUIT, renderLineHelp } from "./lines/key-lines.ts";
import { PlainPaper } from "./lines/plain-paper.ts";
import { renderAsk, waysToAnswer } from "./lines/request-lines.ts";
import { Scroll } from "./lines/scroll.ts";
import { renderTool } from "./lines/tool-lines.ts";

const LONG_MS = 2000;

/** Whole lines, nothing that moves: for pipes, logs and simple terminals. A person at the keyboard answers by lines. */
export class PlainView implements LiveView {
  readonly #options: ViewOptions;
  readonly #paper: PlainPaper;
  readonly #scroll: Scroll;
  readonly #page: Page;
  readonly #asked = new Set<string>();
  readonly #lines = new LineSplitter();
  /** Tools under way, each with what takes its announcement back. */
  readonly #announced = new Map<string, () => void>();
  /** Lines so far that answer the questions of one request. */
  #answers: string[] = [];

  constructor(options: ViewOptions) {
    const { stdout } = options.context;
    this.#options = options;
    this.#page = { width: stdout.columns || 120, paint: plainPaint(options.context.env) };
    this.#paper = new PlainPaper((text) => stdout.write(text));
    this.#scroll = new Scroll(this.#paper, { thinking: options.thinking !== "hide", render: false });
    this.#paper.lines(renderHeader(options.header, this.#page));
    if (options.context.stdin.isTTY) this.#sayWhatCanBeTyped();
    this.#listen();
  }

  show(events: readonly RecordedEvent[]): void {
    for (const event of events) this.#scroll.add(event, this.#page);
    this.#watchTools();
    for (const request of waitingFor(this.#scroll.progress.state)) this.#ask(request);
  }

  finish(info: RunInfo): void {
    this.#paper.gap();
    this.#paper.lines(renderClosing(info, this.#page));
  }

  close(): void {
    for (const takeBack of this.#announced.values()) takeBack();
    this.#paper.end();
    const { stdin } = this.#options.context;
    stdin.off("data", this.#onData);
    stdin.off("end", this.#onEnd);
    if (this.#reads()) stdin.pause();
  }

  /** A tool is told when it has ended; one that takes long is told before, so that nobody thinks nothing happens. */
  #watchTools(): void {
    const { tools } = this.#scroll.progress;
    for (const [id, takeBack] of this.#announced) {
      if (tools.has(id)) continue;
      takeBack();
      this.#announced.delete(id);
    }
    for (const id of tools.keys()) {
      if (this.#announced.has(id)) continue;
      const announce = () => {
        const tool = tools.get(id);
        if (tool !== undefined) this.#paper.lines(renderTool(tool, this.#page));
      };
      this.#announced.set(id, this.#options.context.clock.after(LONG_MS, announce));
    }
  }

  #ask(request: OpenRequest): void {
    if (this.#asked.has(request.pendingId)) return;
    this.#asked.add(request.pendingId);
    this.#paper.gap();
    this.#paper.lines(renderAsk(request, this.#options.header, this.#page));
    if (this.#options.context.stdin.isTTY)
      this.#paper.lines([`  or here: ${waysToAnswer(request, this.#options.header.cwd)}`]);
  }

  /** What is piped into a run without -i is not for us. */
  #reads(): boolean {
    return this.#options.interactive || this.#options.context.stdin.isTTY;
  }

  #listen(): void {
    if (!this.#reads()) return;
    const { stdin } = this.#options.context;
    stdin.on("data", this.#onData);
    stdin.on("end", this.#onEnd);
  }

  readonly #onData = (data: Buffer | string): void => {
    for (const line of this.#lines.push(Buffer.from(data))) if ("text" in line) this.#typed(line.text);
  };

  /** At a terminal that is Ctrl-D: away from here. A pipe has said all that it has to say. */
  readonly #onEnd = (): void => {
    const { onDetachKey, onEnd, interactive, context } = this.#options;
    if (context.stdin.isTTY && onDetachKey !== undefined) onDetachKey();
    else if (interactive) onEnd?.();
  };

  #sayWhatCanBeTyped(): void {
    const { paint, width } = this.#page;
    const what = this.#options.interactive
      ? "your lines are prompts, and answers to what is asked"
      : "your lines answer what is asked";
    this.#paper.lines(wrap(`${paint.marks.dot} ${what}; ${HELP} shows what else can be typed`, width));
  }

  #typed(line: string): void {
    if (line.trim() === HELP || line.trim() === "?") {
      this.#paper.lines(renderLineHelp(this.#options, this.#scroll.progress.commands, this.#page));
      return;
    }
    const [request] = waitingFor(this.#scroll.progress.state);
    if (request !== undefined) return this.#answer(request, line);
    if (!this.#options.interactive || line.trim() === "") return;
    if (line.trim() === QUIT) return this.#options.onEnd?.();
    const content = [{ type: "text" as const, text: line }];
    this.#send({ type: "prompt", promptId: randomUUID(), content, delivery: "queue" });
  }

  #answer(request: OpenRequest, line: string): void {
    const { pendingId } = request;
    try {
      if (request.type === "permission_request") {
        const [word = "", ...reason] = line.trim().split(/\s+/);
        const reply = replyFrom(request, [word], {
          canRemember: canRemember(request, this.#options.header.cwd),
          reason: reason.join(" "),
        });
        return this.#send({ type: "answer", pendingId, ...reply });
      }
      this.#answers.push(line);
      if (this.#answers.length < request.questions.length) return;
      const words = this.#answers;
      this.#answers = [];
      this.#send({ type: "answer", pendingId, ...replyFrom(request, words, { canRemember: false }) });
    } catch (error) {
      this.#trouble(error);
    }
  }

  #send(command: SentCommand): void {
    this.#options.send(command).catch((error: unknown) => this.#trouble(error));
  }

  #trouble(error: unknown): void {
    this.#paper.lines([`${this.#page.paint.marks.failed} ${printable(messageOf(error))}`]);
  }
}
