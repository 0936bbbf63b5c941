import { randomUUID } from "node:crypto";
import type { SentCommand } from "../../../../contract/commands.ts";
import { messageOf } from "../../../../contract/errors.ts";
import type { RecordedEvent } from "../../../../contract/events.ts";
import type { RunInfo } from "../../../../contract/runs/run.ts";
import { type OpenRequest, phaseOf, waitingFor } from "../../../../contract/runs/session-state.ts";
import { wrap } from "../../../../lib/command/columns.ts";
import { type Page, paintFor } from "../../../../lib/command/paint.ts";
import { printable } from "../../../../lib/text/printable.ts";
import type { LiveView, ViewOptions } from "../index.ts";
import { renderClosing } from "../lines/closing-line.ts";
import { whoResolved } from "../lines/event-lines.ts";
import { renderHeader } from "../lines/header-line.ts";
import { renderAsk, renderRequest } from "../lines/request-lines.ts";
import { Scroll } from "../lines/scroll.ts";
import { type KeyAction, Keyboard } from "./keyboard.ts";
import { KeyReader } from "./keys.ts";
import { type Footer, isBoxCut, renderBox, renderDraft } from "./request-box.ts";
import { Screen } from "./screen.ts";
import { renderStatus } from "./status-line.ts";

/** The status comes back when the text pauses this long, so it is drawn five times a second at most and never flickers. */
const PAUSE_MS = 200;
const TICK_MS = 1000;
const PASTE_ON = "\x1b[?2004h";
const PASTE_OFF = "\x1b[?2004l";

/** A terminal with a person before it. */
export class TerminalView implements LiveView {
  readonly #options: ViewOptions;
  readonly #screen: Screen;
  readonly #scroll: Scroll;
  readonly #keyboard: Keyboard;
  readonly #keys = new KeyReader();
  #takeBackTick: (() => void) | undefined;
  #open = true;

  constructor(options: ViewOptions) {
    this.#options = options;
    const { stdout } = options.context;
    this.#screen = new Screen({
      write: (text) => stdout.write(text),
      columns: () => stdout.columns || 80,
      rows: () => stdout.rows || 24,
    });
    this.#scroll = new Scroll(this.#screen, options.thinking !== "hide");
    this.#keyboard = new Keyboard(options, (request) => this.#isCut(request));
    this.#screen.lines(renderHeader(options.header, this.#page()));
    this.#listen();
    this.#refresh(true);
  }

  show(events: readonly RecordedEvent[]): void {
    if (!this.#open) return;
    const page = this.#page();
    for (const event of events) {
      this.#scroll.add(event, page);
      // What the agent took back was answered by nobody.
      if (event.type !== "request_resolved" || event.by === "agent") continue;
      this.#keyboard.answered(event.pendingId, whoResolved(event));
    }
    this.#followRequests();
    this.#refresh(false);
  }

  finish(info: RunInfo): void {
    this.#stopTicking();
    this.#screen.gap();
    this.#screen.lines(renderClosing(info, this.#page()));
    this.#screen.setFooter({ lines: [] });
    this.#screen.flush(true);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#stopTicking();
    this.#screen.setFooter({ lines: [] });
    this.#screen.endLine();
    this.#screen.flush(true);
    const { stdin, stdout } = this.#options.context;
    stdout.off("resize", this.#onResize);
    if (!stdin.isTTY) return;
    process.off("exit", this.#onExit);
    process.off("SIGCONT", this.#onContinued);
    stdin.off("data", this.#onData);
    stdin.off("end", this.#onGone);
    this.#giveBack();
    stdin.pause();
  }

  /** From here on every key is ours, Ctrl-C and Ctrl-Z too. */
  #takeOver(): void {
    const { stdin, stdout } = this.#options.context;
    stdin.setRawMode(true);
    stdout.write(PASTE_ON);
  }

  #giveBack(): void {
    const { stdin, stdout } = this.#options.context;
    stdout.write(PASTE_OFF);
    stdin.setRawMode(false);
  }

  /** As any other program of the shell: it has the terminal until the person says `fg`. Where there is no shell, we go on at once. */
  #suspend(): void {
    this.#screen.setFooter({ lines: [] });
    this.#screen.endLine();
    this.#screen.flush(true);
    this.#giveBack();
    process.kill(0, "SIGTSTP"); // returns when we go on
    this.#onContinued();
  }

  /** Whoever had the terminal meanwhile may have set it as they like. */
  readonly #onContinued = (): void => {
    if (!this.#open) return;
    this.#giveBack();
    this.#takeOver();
    this.#screen.resized();
    this.#refresh(true);
  };

  #followRequests(): void {
    const { state } = this.#scroll.progress;
    this.#keyboard.follow(waitingFor(state), phaseOf(state) === "idle", this.#now());
  }

  #listen(): void {
    const { stdin, stdout } = this.#options.context;
    stdout.on("resize", this.#onResize);
    if (!stdin.isTTY) return;
    process.once("exit", this.#onExit);
    process.on("SIGCONT", this.#onContinued);
    this.#takeOver();
    stdin.setEncoding("utf8");
    stdin.on("data", this.#onData);
    stdin.on("end", this.#onGone);
    stdin.on("error", this.#onGone);
    stdin.resume();
  }

  readonly #onGone = (): void => this.#options.onTerminalGone?.();

  /** Whoever ends the process in a hurry still leaves a usable terminal. */
  readonly #onExit = (): void => this.close();

  readonly #onResize = (): void => {
    this.#screen.resized();
    this.#refresh(true);
  };

  readonly #onData = (data: string | Buffer): void => {
    for (const key of this.#keys.read(String(data))) {
      const action = this.#keyboard.press(key, this.#now());
      if (action !== undefined) this.#act(action);
      if (!this.#open) return;
      // The next key belongs to the next request already.
      this.#followRequests();
    }
    this.#refresh(true);
  };

  #act(action: KeyAction): void {
    switch (action.do) {
      case "interrupt":
        return this.#options.onInterruptKey();
      case "suspend":
        return this.#suspend();
      case "detach":
        return this.#options.onDetachKey?.();
      case "escape":
        return this.#options.onEscapeKey?.();
      case "end":
        return this.#options.onEnd?.();
      case "prompt": {
        const content = [{ type: "text" as const, text: action.text }];
        return this.#send({ type: "prompt", promptId: randomUUID(), content, delivery: "queue" });
      }
      case "show":
        return this.#showAll(action.request);
      case "answer": {
        const { pendingId, reply } = action;
        return this.#send({ type: "answer", pendingId, ...reply }, () => this.#keyboard.notSent(pendingId));
      }
    }
  }

  /** What doesn't fit is clipped by the screen, which needs one row for itself. */
  #isCut(request: OpenRequest): boolean {
    return isBoxCut(request, this.#page(), (this.#options.context.stdout.rows || 24) - 1);
  }

  /** Above the box, where it can be scrolled. What can't be read can't be allowed. */
  #showAll(request: OpenRequest): void {
    const page = this.#page();
    try {
      const lines = renderRequest(request, page, { read: this.#options.readBody });
      this.#screen.gap();
      this.#screen.lines(lines);
      this.#keyboard.shown(this.#now());
    } catch (error) {
      const text = `✗ not allowed, for not all of it can be shown: ${printable(messageOf(error))}; deny it, or try again`;
      this.#screen.lines(wrap(text, page.width).map(page.paint.red));
    }
  }

  #send(command: SentCommand, refused?: () => void): void {
    this.#options.send(command).catch((error: unknown) => {
      if (!this.#open) return;
      const page = this.#page();
      refused?.();
      this.#screen.lines(wrap(`✗ ${printable(messageOf(error))}`, page.width).map(page.paint.red));
      this.show([]);
    });
  }

  /** With something to type or to answer the footer is always there; the status alone waits for a pause. */
  #refresh(now: boolean): void {
    this.#screen.setFooter(this.#footer());
    const asks = this.#keyboard.focus !== undefined || this.#keyboard.draft !== undefined;
    this.#screen.flush(now || asks);
    this.#stopTicking();
    const phase = phaseOf(this.#scroll.progress.state);
    // While it works the time goes on; else there is nothing to redraw once it is drawn.
    if (now && phase !== "working" && phase !== "starting") return;
    this.#takeBackTick = this.#options.context.clock.after(now ? TICK_MS : PAUSE_MS, () => this.#refresh(true));
  }

  #stopTicking(): void {
    this.#takeBackTick?.();
    this.#takeBackTick = undefined;
  }

  #footer(): Footer {
    const page = this.#page();
    const { focus, draft } = this.#keyboard;
    if (focus !== undefined) {
      // Without a keyboard the keys would be a lie.
      if (!this.#options.context.stdin.isTTY) return { lines: renderAsk(focus.request, this.#options.header, page) };
      const { request, answering, others, canRemember } = focus;
      return renderBox(request, answering, others, page, { isCut: this.#isCut(request), canRemember });
    }
    const lines = renderStatus(this.#scroll.progress, this.#now(), this.#options, page);
    if (draft === undefined || this.#scroll.progress.state.life === "closed") return { lines };
    const { line, column } = renderDraft(draft, page.width);
    return { lines: [...lines, line], cursor: { row: lines.length, column } };
  }

  /** One column less than there is: a full line would leave the cursor in no man's land. */
  #page(): Page {
    const { context, color } = this.#options;
    return { width: Math.max((context.stdout.columns || 80) - 1, 1), paint: paintFor(context, color) };
  }

  #now(): number {
    return this.#options.context.clock.now();
  }
}
