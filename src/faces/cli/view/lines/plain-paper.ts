import type { Paper } from "./scroll.ts";

/** Whole lines only: text waits for the end of its line, and what changes is written once it is final. */
export class PlainPaper implements Paper {
  readonly #write: (text: string, isHeld: boolean) => void;
  #open = "";
  #blank = true;

  /** `isHeld`: a line that had no end when it was said, and has none now but that something else follows. */
  constructor(write: (text: string, isHeld: boolean) => void) {
    this.#write = write;
  }

  stream(text: string): void {
    this.#add(text, false);
  }

  #add(text: string, isHeld: boolean): void {
    this.#open += text;
    const end = this.#open.lastIndexOf("\n") + 1;
    if (end === 0) return;
    const lines = this.#open.slice(0, end);
    this.#open = this.#open.slice(end);
    this.#blank = lines === "\n" || lines.endsWith("\n\n");
    this.#write(lines, isHeld);
  }

  lines(lines: readonly string[]): void {
    this.end();
    if (lines.length === 0) return;
    this.#blank = lines.at(-1) === "";
    this.#write(lines.map((line) => `${line}\n`).join(""), false);
  }

  keep(_id: string, lines: readonly string[], final: boolean): void {
    if (final) this.lines(lines);
  }

  gap(): void {
    this.end();
    if (this.#blank) return;
    this.#blank = true;
    this.#write("\n", false);
  }

  end(): void {
    if (this.#open !== "") this.#add("\n", true);
  }
}
