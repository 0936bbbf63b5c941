import type { SentCommand } from "../../../../contract/commands.ts";
import { messageOf } from "../../../../contract/errors.ts";
import type { RecordedEvent } from "../../../../contract/events.ts";
import type { RunInfo } from "../../../../contract/runs/run.ts";
import { phaseOf, waitingFor } from "../../../../contract/sessions/session-state.ts";
import { randomUUID } from "../../../../lib/base/crypto.ts";
import { wrap } from "../../../../lib/command/columns.ts";
import { type Page, paintFor } from "../../../../lib/command/paint.ts";
import { printable } from "../../../../lib/text/printable.ts";
import type { LiveView, ViewOptions } from "../index.ts";
import { renderClosing } from "../lines/closing-line.ts";
import { whoResolved } from "../lines/event-lines.ts";
import { renderHeader } from "../lines/header-line.ts";
import { renderKeyHelp } from "../lines/key-lines.ts";
import { renderAsk } from "../lines/request-lines.ts";
import { Scroll } from "../lines/scroll.ts";
import { whenHeld } from "../terminal/key-hold.ts";
import { RawTerminal } from "../terminal/raw-terminal.ts";
import type { Footer } from "../terminal/sheet.ts";
import { BoxReading } from "./box-reading.ts";
import { type KeyAction, Keyboard } from "./keyboard.ts";
import type { Key } from "./keys.ts";
import { renderDraft } from "./request-box.ts";
import { Screen } from "./screen.ts";
import { renderStatus } from "./status-line.ts";

const TICK_MS = 1000;

/** A terminal with a person before it. */
export class TerminalView implements LiveView {
  readonly #options: ViewOptions;
  readonly #screen: Screen;
  readonly #scroll: Scroll;
  readonly #box: BoxReading;
  readonly #keyboard: Keyboard;
  readonly #raw: RawTerminal;
  readonly #openedAt: number;
  #takeBackTick: (() => void) | undefined;
  #takeBackHold: (() => void) | undefined;
  #open = true;

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#openedAt = this.#now();
    const { stdout } = options.context;
    this.#screen = new Screen({
      write: (text) => stdout.write(text),
      columns: () => stdout.columns || 80,
      rows: () => stdout.rows || 24,
    });
    this.#scroll = new Scroll(this.#screen, { thinking: options.thinking !== "hide", render: true });
    this.#box = new BoxReading(options.readBody);
    this.#keyboard = new Keyboard(options, (request) => this.#box.isRead(request));
    this.#screen.lines(renderHeader(options.header, this.#page()));
    this.#raw = new RawTerminal(options.context, {
      press: (keys) => this.#press(keys),
      redraw: () => this.#redraw(),
      clear: () => this.#clear(),
      gone: () => options.onTerminalGone?.(),
      exit: () => this.close(),
    });
    this.#refresh();
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
    this.#refresh();
  }

  finish(info: RunInfo): void {
    this.#stopTicking();
    this.#scroll.settle();
    this.#screen.gap();
    this.#screen.lines(renderClosing(info, this.#page()));
    this.#screen.setFooter({ lines: [] });
    this.#screen.flush(true);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#stopTicking();
    this.#takeBackHold?.();
    this.#scroll.settle();
    this.#clear();
    this.#raw.close();
  }

  #clear(): void {
    this.#screen.setFooter({ lines: [] });
    this.#screen.endLine();
    this.#screen.flush(true);
  }

  #redraw(): void {
    this.#screen.resized();
    this.#refresh();
  }

  #followRequests(): void {
    const { state } = this.#scroll.progress;
    this.#keyboard.follow(waitingFor(state), phaseOf(state) === "idle", this.#now());
  }

  #press(keys: readonly Key[]): void {
    for (const key of keys) {
      if (this.#keyboard.focus !== undefined && this.#box.scroll(key)) this.#keyboard.takeBack();
      else this.#act(this.#keyboard.press(key, this.#now()));
      if (!this.#open) return;
      // The next key belongs to the next request already.
      this.#followRequests();
    }
    this.#holdOn();
    this.#refresh();
  }

  /** What is held counts in a moment. */
  #holdOn(): void {
    this.#takeBackHold?.();
    const held = this.#keyboard.focus?.held;
    this.#takeBackHold =
      held &&
      whenHeld(this.#options.context.clock, () => {
        this.#act(this.#keyboard.release(held, this.#now()));
        if (!this.#open) return;
        this.#followRequests();
        this.#refresh();
      });
  }

  #act(action: KeyAction | undefined): void {
    switch (action?.do) {
      case undefined:
        return;
      case "interrupt":
        return this.#options.onInterruptKey();
      case "suspend":
        return this.#raw.suspend();
      case "detach":
        return this.#options.onDetachKey?.();
      case "escape":
        return this.#options.onEscapeKey?.();
      case "help":
        return this.#help();
      case "leave":
        return this.#leave();
      case "end":
        return this.#options.onEnd?.();
      case "prompt": {
        const content = [{ type: "text" as const, text: action.text }];
        return this.#send({ type: "prompt", promptId: randomUUID(), content, delivery: "queue" });
      }
      case "more":
        return this.#box.more();
      case "answer": {
        const { pendingId, reply } = action;
        return this.#send({ type: "answer", pendingId, ...reply }, () => this.#keyboard.notSent(pendingId));
      }
    }
  }

  #help(): void {
    this.#scroll.settle();
    this.#screen.gap();
    this.#screen.lines(renderKeyHelp(this.#options, this.#scroll.progress.commands, this.#page()));
    this.#screen.gap();
  }

  /** Where the run can't go on without us, whoever says goodbye to it ends it. */
  #leave(): void {
    const { onDetachKey, onEnd, interactive } = this.#options;
    if (onDetachKey !== undefined) onDetachKey();
    else if (interactive) onEnd?.();
  }

  #send(command: SentCommand, refused?: () => void): void {
    this.#options.send(command).catch((error: unknown) => {
      if (!this.#open) return;
      const page = this.#page();
      refused?.();
      this.#screen.lines(
        wrap(`${page.paint.marks.failed} ${printable(messageOf(error))}`, page.width).map(page.paint.red),
      );
      this.show([]);
    });
  }

  /** Below whatever was said, in the same write: it never flickers. */
  #refresh(): void {
    this.#screen.setFooter(this.#footer());
    this.#screen.flush(true);
    this.#stopTicking();
    const phase = phaseOf(this.#scroll.progress.state);
    // While it works the time goes on; else there is nothing to redraw once it is drawn.
    if (phase !== "working" && phase !== "starting") return;
    this.#takeBackTick = this.#options.context.clock.after(TICK_MS, () => this.#refresh());
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
      // The screen needs one row for itself.
      return this.#box.draw(focus, page, Math.max((this.#options.context.stdout.rows || 24) - 1, 4));
    }
    const lines = renderStatus(this.#scroll.progress, this.#openedAt, this.#now(), this.#options, page);
    if (draft === undefined || this.#scroll.progress.state.life === "closed") return { lines };
    const { line, column } = renderDraft(draft, page);
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
