import xterm from "@xterm/headless";
import { ansiLine } from "./ansi-line.ts";
import { withoutMiddle } from "./flood.ts";

export interface ScreenSnapshot {
  /** One per row, blanks at the end cut off. */
  lines: string[];
  /** The same with colours. */
  ansi: string[];
  cols: number;
  rows: number;
  alt_screen: boolean;
  cursor: { row: number; col: number };
  /** One more with each piece of output. */
  seq: number;
}

export interface ScreenOptions {
  cols: number;
  rows: number;
  /** What the terminal answers a program that asks it something (where the cursor is, what it is). */
  onReply(data: string): void;
  /** More is waiting to be drawn than is good, or no longer. */
  onPressure(high: boolean): void;
}

/** What a person would see. Output is drawn in slices, between which everything else gets its turn. */
export class Screen {
  readonly #terminal: xterm.Terminal;
  readonly #onPressure: (high: boolean) => void;
  /** What is to be drawn, and whom to tell when all before it is. */
  #queue: (Uint8Array | (() => void))[] = [];
  #isDrawing = false;
  #seq = 0;
  #waiting = 0;
  #pressed = false;
  /** Part of the screen may stand still while the rest scrolls. */
  #hasMargins = false;

  constructor({ cols, rows, onReply, onPressure }: ScreenOptions) {
    this.#terminal = new xterm.Terminal({ cols, rows, scrollback: 0, allowProposedApi: true, logLevel: "off" });
    this.#terminal.onData(onReply);
    this.#terminal.parser.registerCsiHandler({ final: "r" }, ([top = 0, bottom = 0]) => {
      this.#hasMargins = Number(top) > 1 || Number(bottom) > 0;
      return false;
    });
    this.#onPressure = onPressure;
  }

  get cols(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Whether the program wants to know what was pasted and what typed. */
  get marksPastes(): boolean {
    return this.#terminal.modes.bracketedPasteMode;
  }

  /** The chunk must not change afterwards. */
  write(chunk: Uint8Array): void {
    this.#seq += 1;
    this.#waiting += chunk.length;
    this.#queue.push(chunk);
    this.#draw();
    if (this.#waiting > HIGH_BYTES && !this.#pressed) {
      this.#pressed = true;
      this.#onPressure(true);
    }
  }

  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows);
  }

  /** A new program begins on an empty screen, with no modes of the last one. */
  reset(): void {
    this.write(Buffer.from("\x1bc"));
  }

  /** When all that was written so far is drawn. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push(resolve);
      this.#draw();
    });
  }

  /** Of what is drawn by now. */
  lines(): string[] {
    const buffer = this.#terminal.buffer.active;
    return Array.from(
      { length: this.rows },
      (_, row) => buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? "",
    );
  }

  snapshot(): ScreenSnapshot {
    const buffer = this.#terminal.buffer.active;
    const cell = buffer.getNullCell();
    const ansi = Array.from({ length: this.rows }, (_, row) => {
      const line = buffer.getLine(buffer.baseY + row);
      return line === undefined ? "" : ansiLine(line, cell);
    });
    return {
      lines: this.lines().map((line) => line.trimEnd()),
      ansi,
      cols: this.cols,
      rows: this.rows,
      alt_screen: buffer.type === "alternate",
      cursor: { row: buffer.cursorY, col: Math.min(buffer.cursorX, this.cols - 1) },
      seq: this.#seq,
    };
  }

  close(): void {
    this.#terminal.dispose();
  }

  #draw(): void {
    if (this.#isDrawing) return;
    for (let next = this.#queue[0]; typeof next === "function"; next = this.#queue[0]) {
      this.#queue.shift();
      next();
    }
    const slice = this.#takeSlice();
    if (slice.length === 0) return;
    this.#isDrawing = true;
    const parts = this.#hasMargins ? undefined : withoutMiddle(slice, this.rows);
    if (parts !== undefined) this.#terminal.write(parts[0]);
    this.#terminal.write(parts?.[1] ?? slice, () => {
      this.#isDrawing = false;
      this.#drawn(slice.length);
      this.#draw();
    });
  }

  /** What lies next to each other in the queue is drawn in one go, as much as is good for whoever waits. */
  #takeSlice(): Buffer {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for (let next = this.#queue[0]; next instanceof Uint8Array && bytes < SLICE_BYTES; next = this.#queue[0]) {
      parts.push(next);
      bytes += next.length;
      this.#queue.shift();
    }
    return Buffer.concat(parts);
  }

  #drawn(bytes: number): void {
    this.#waiting -= bytes;
    if (!this.#pressed || this.#waiting > LOW_BYTES) return;
    this.#pressed = false;
    this.#onPressure(false);
  }
}

const SLICE_BYTES = 256 * 1024;
const HIGH_BYTES = 1024 * 1024;
const LOW_BYTES = 256 * 1024;
