import type { Paper } from "./scroll.ts";

/** Whole lines only: text waits for the end of its line, and what changes is written once it is final. */
export class PlainPaper implements Paper {
  readonly #write: (text: string) => void;
  #open = "";
  #blank = true;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  stream(text: string): void {
    this.#open += text;
    const end = this.#open.lastIndexOf("\n") + 1;
    if (end === 0) return;
    const lines = this.#open.slice(0, end);
    this.#open = this.#open.slice(end);
    this.#blank = lines === "\n" || lines.endsWith("\n\n");
    this.#write(lines);
  }

  lines(lines: readonly string[]): void {
    this.end();
    if (lines.length === 0) return;
    this.#blank = lines.at(-1) === "";
    this.#write(lines.map((line) => `${line}\n`).join(""));
  }

  keep(_id: string, lines: readonly string[], final: boolean): void {
    if (final) this.lines(lines);
  }

  gap(): void {
    this.end();
    if (this.#blank) return;
    this.#blank = true;
    this.#write("\n");
  }

  end(): void {
    if (this.#open !== "") this.stream("\n");
  }
}
