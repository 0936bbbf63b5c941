import { columnsOf } from "../../../../../lib/command/columns.ts";
import type { Terminal } from "../screen.ts";

/** For tests: shows what a person would see. Knows the few sequences we use and fails on any other. */
export class TestTerminal implements Terminal {
  #rows: string[][] = [[]];
  #row = 0;
  #column = 0;
  readonly #width: number;
  readonly #height: number;
  writes = 0;

  constructor(width = 40, height = 24) {
    this.#width = width;
    this.#height = height;
  }

  columns = () => this.#width;
  rows = () => this.#height;

  write(text: string): void {
    this.writes += 1;
    let rest = text;
    while (rest !== "") {
      const sequence = /^\x1b\[([0-9;?]*)([A-Za-z])/.exec(rest);
      if (sequence !== null) {
        this.#obey(Number.parseInt(sequence[1] ?? "", 10) || 1, sequence[1] ?? "", sequence[2] ?? "");
        rest = rest.slice(sequence[0].length);
        continue;
      }
      const [character = ""] = rest;
      rest = rest.slice(character.length);
      this.#print(character);
    }
  }

  /** The rows as text; colours and blanks at the ends are gone. */
  get shown(): string[] {
    const rows = this.#rows.map((row) => row.join("").trimEnd());
    while (rows.at(-1) === "") rows.pop();
    return rows;
  }

  get cursor(): { row: number; column: number } {
    return { row: this.#row, column: this.#column };
  }

  #obey(count: number, parameters: string, command: string): void {
    if (command === "A") this.#row = Math.max(this.#row - count, this.#rows.length - this.#height, 0);
    else if (command === "C") this.#column = Math.min(this.#column + count, this.#width - 1);
    else if (command === "D") this.#column = Math.max(Math.min(this.#column, this.#width - 1) - count, 0);
    else if (command === "J") {
      this.#rows.length = this.#row + 1;
      this.#rows[this.#row]?.splice(this.#column);
    } else if (command !== "m" && !parameters.startsWith("?2004")) {
      throw new Error(`the terminal was sent CSI ${parameters}${command}`);
    }
  }

  #print(character: string): void {
    if (character === "\n") return this.#newRow();
    if (character === "\r") {
      this.#column = 0;
      return;
    }
    if (/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(character)) throw new Error(`sent ${JSON.stringify(character)}`);
    const width = columnsOf(character, this.#column);
    if (this.#column + width > this.#width) this.#newRow();
    const row = this.#rows[this.#row] ?? [];
    while (row.length < this.#column) row.push(" ");
    if (width === 0 && character !== "\t") {
      row[this.#column - 1] = `${row[this.#column - 1] ?? ""}${character}`;
      return;
    }
    row[this.#column] = character;
    for (let i = 1; i < width; i += 1) row[this.#column + i] = "";
    this.#column += width;
  }

  #newRow(): void {
    this.#row += 1;
    this.#column = 0;
    this.#rows[this.#row] ??= [];
  }
}
