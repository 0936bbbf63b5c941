import { AppError } from "../../../../contract/errors.ts";
import type { Context } from "../../../../lib/command/command.ts";
import { type Page, paintFor } from "../../../../lib/command/paint.ts";
import type { Key } from "../live/keys.ts";
import { Screen } from "../live/screen.ts";
import { asText, type HeldKey, holdStep, whenHeld } from "./key-hold.ts";
import { type KeyRest, keyIn, restingSince } from "./key-rest.ts";
import { RawTerminal } from "./raw-terminal.ts";
import { drawn, further, type Reading, renderSheet, roomOf, type Sheet, scrolled, unread, withHeld } from "./sheet.ts";

/** How a key finds the screen. */
export interface KeyTime {
  /** What is shown was there, and nothing was typed, for a moment: else the key was meant for something else. */
  isSettled: boolean;
  /** All of the body was on the screen. */
  isRead: boolean;
}

export interface App {
  show(page: Page): Sheet;
  /** Shows what was not seen yet with `more`; then keys rest anew, as after one that means `nothing`. */
  press(key: Key, time: KeyTime): "more" | "leave" | "nothing" | undefined;
  /** What the key would decide all by itself, in words: it counts only when no other follows. */
  decision?(key: Key, time: KeyTime): string | undefined;
}

/**
 * An app in a person's terminal, below what stands there already, until it is left: nothing of it stays but what was said. There is
 * no second screen of the terminal that somebody who ends us in a hurry would have to be brought back from.
 */
export class FullScreen {
  readonly #context: Context;
  readonly #app: App;
  readonly #color: "auto" | "never";
  readonly #screen: Screen;
  readonly #raw: RawTerminal;
  readonly #left = new AbortController();
  readonly #readings = new Map<string, Reading>();
  #rest: KeyRest = restingSince(0);
  #held: HeldKey | undefined;
  #takeBackTimer: (() => void) | undefined;
  #sheet: Sheet;
  /** What the keys were told they would do something to. */
  #asked: string | undefined;
  #code = 0;

  constructor(context: Context, app: App, color: "auto" | "never" = "auto") {
    this.#context = context;
    this.#app = app;
    this.#color = color;
    const { stdout } = context;
    this.#screen = new Screen({
      write: (text) => stdout.write(text),
      columns: () => stdout.columns || 80,
      rows: () => stdout.rows || 24,
    });
    this.#sheet = app.show(this.#page());
    this.#raw = new RawTerminal(context, {
      press: (keys) => this.#press(keys),
      redraw: () => this.#redraw(),
      clear: () => this.#clear(),
      gone: () => this.leave(),
      exit: () => this.close(),
    });
    for (const [signal, call] of this.#signals) process.on(signal, call);
    context.onOutputGone(() => this.leave());
    this.refresh();
  }

  /** Aborted when the person has left, or their terminal has. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  get code(): number {
    return this.#code;
  }

  leave(code = 0): void {
    if (!this.left.aborted) this.#code = code;
    this.#left.abort();
  }

  /** Above the sheet, where it stays; above one that fills the screen there is still the last line of it. */
  say(render: (page: Page) => string[]): void {
    this.#screen.lines(render(this.#page()));
  }

  refresh(): void {
    if (this.left.aborted) return;
    this.#sheet = this.#app.show(this.#page());
    this.#readings.set(this.#sheet.id, drawn(this.#reading, this.#room()));
    if (this.#asked !== this.#sheet.asks) this.#takeBack();
    const page = this.#page();
    this.#screen.setFooter(renderSheet(withHeld(this.#sheet, this.#held, page), this.#reading, page, this.#rows()));
    this.#screen.flush(true);
    if (this.#asked === this.#sheet.asks) return;
    this.#asked = this.#sheet.asks;
    // Only now: what was typed while it was being drawn was typed before anybody could read it.
    this.#rest = restingSince(this.#now());
  }

  close(): void {
    this.leave();
    this.#takeBack();
    this.#clear();
    this.#raw.close();
    for (const [signal, call] of this.#signals) process.off(signal, call);
  }

  readonly #signals: readonly [NodeJS.Signals, () => void][] = [
    ["SIGINT", () => this.leave(130)],
    ["SIGTERM", () => this.leave(143)],
    ["SIGHUP", () => this.leave(129)],
  ];

  #press(keys: readonly Key[]): void {
    for (const key of keys) {
      if (this.left.aborted) return;
      if (key.key === "interrupt" || key.key === "eof" || key.key === "detach") return this.leave();
      if (key.key === "suspend") this.#raw.suspend();
      else this.#use(key);
    }
    this.refresh();
  }

  #use(key: Key): void {
    const held = this.#takeBack();
    const isTyping = this.#sheet.cursor !== undefined;
    const to = scrolled(this.#reading, key, this.#room(), isTyping);
    if (to !== undefined) return this.#read(to);
    const isDrawn = this.#isDrawn();
    this.#rest = isDrawn ? keyIn(this.#rest, this.#now()) : restingSince(this.#now());
    const step = holdStep(isDrawn ? held : undefined, key, (each) => this.#app.decision?.(each, this.#time()));
    if ("hold" in step) return this.#hold(step.hold);
    if ("use" in step) return this.#give(step.use);
    // The middle of something that was meant for elsewhere; or of a text.
    const text = isTyping ? asText(step.takenBack) : undefined;
    for (const each of text === undefined ? [] : [text, key]) this.#give(each);
    if (text === undefined) this.#rest = restingSince(this.#now());
  }

  #hold(held: HeldKey): void {
    this.#held = held;
    this.#takeBackTimer = whenHeld(this.#context.clock, () => {
      this.#held = undefined;
      if (this.#isDrawn()) this.#give(held.key);
      this.refresh();
    });
  }

  /** What is not drawn yet can't have been meant. */
  #isDrawn(): boolean {
    return this.#app.show(this.#page()).asks === this.#asked;
  }

  #takeBack(): HeldKey | undefined {
    const held = this.#held;
    this.#takeBackTimer?.();
    this.#held = undefined;
    return held;
  }

  #time(): KeyTime {
    return { isSettled: this.#rest.isOver, isRead: this.#reading.isWhole && !this.#sheet.isCut };
  }

  #give(key: Key): void {
    const result = this.#app.press(key, this.#time());
    if (result === "leave") return this.leave();
    if (result === "nothing") this.#rest = restingSince(this.#now());
    if (result !== "more") return;
    this.#read(further(this.#reading));
    this.#asked = undefined;
  }

  get #reading(): Reading {
    return this.#readings.get(this.#sheet.id) ?? unread;
  }

  #read(to: Reading): void {
    this.#readings.set(this.#sheet.id, to);
    this.refresh();
  }

  #redraw(): void {
    this.#screen.resized();
    this.refresh();
  }

  #clear(): void {
    this.#screen.setFooter({ lines: [] });
    this.#screen.endLine();
    this.#screen.flush(true);
  }

  #room() {
    return roomOf(this.#sheet, this.#page(), this.#rows());
  }

  /** One less than there are: the screen needs it for itself. */
  #rows(): number {
    return Math.max((this.#context.stdout.rows || 24) - 1, 4);
  }

  /** One column less than there is: a full line would leave the cursor in no man's land. */
  #page(): Page {
    const { stdout } = this.#context;
    return { width: Math.max((stdout.columns || 80) - 1, 1), paint: paintFor(this.#context, this.#color) };
  }

  #now(): number {
    return this.#context.clock.now();
  }
}

/** Whether there is a terminal with a person before it. */
export const isLive = ({ stdin, stdout, env }: Context): boolean => stdin.isTTY && stdout.isTTY && env.TERM !== "dumb";

/** `instead`: what to do where there is none. */
export function requireTerminal(context: Context, what: string, instead: string): void {
  if (isLive(context)) return;
  const why = context.env.TERM === "dumb" ? "this terminal (TERM=dumb) can't show it" : "needs a terminal";
  throw new AppError("usage.invalid", `${what}: ${why}; ${instead}`);
}
