/**
 * What a person would read of a terminal's output: colours and titles go, a line that was drawn over stands as it was drawn
 * last, and what a full-screen program showed on its other screen is left out. The last `rows` lines can still be changed;
 * what scrolls out of them is given back and forgotten. Wrapping isn't imitated: a line stays one line.
 */
export class TerminalText {
  readonly #rows: number;
  #lines: string[] = [""];
  #row = 0;
  #column = 0;
  #otherScreen = false;
  /** A sequence that isn't whole yet. */
  #rest = "";

  constructor(rows: number) {
    this.#rows = Math.max(rows, 1);
  }

  write(text: string): string {
    const input = this.#rest + text;
    this.#rest = "";
    let out = "";
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(input); match !== null; match = TOKEN.exec(input)) {
      const [whole, words, params, final] = match;
      if (whole === ESC && isBegun(input.slice(match.index))) {
        this.#rest = input.slice(match.index);
        break;
      }
      if (final !== undefined) this.#control(params ?? "", final);
      else if (!this.#otherScreen) out += words === undefined ? this.#single(whole) : this.#print(words);
    }
    return out;
  }

  end(): string {
    const lines = this.#lines.map((line) => line.trimEnd());
    while (lines.length > 0 && lines.at(-1) === "") lines.pop();
    return lines.map((line) => `${line}\n`).join("");
  }

  #print(words: string): string {
    const line = this.#lines[this.#row] ?? "";
    const before = line.length >= this.#column ? line.slice(0, this.#column) : line.padEnd(this.#column);
    this.#lines[this.#row] = before + words + line.slice(this.#column + words.length);
    this.#column += words.length;
    return "";
  }

  #single(character: string): string {
    switch (character) {
      case "\n":
        return this.#lineFeed();
      case "\r":
        this.#column = 0;
        return "";
      case "\b":
        this.#column = Math.max(0, this.#column - 1);
        return "";
      case "\t":
        return this.#print(" ".repeat(8 - (this.#column % 8)));
      default:
        return "";
    }
  }

  /** Also a bare one begins a line: where the output goes to a file, there are no others. */
  #lineFeed(): string {
    this.#row += 1;
    this.#column = 0;
    if (this.#row < this.#lines.length) return "";
    this.#lines.push("");
    if (this.#lines.length <= this.#rows) return "";
    this.#row -= 1;
    return `${this.#lines.shift()?.trimEnd()}\n`;
  }

  #control(params: string, final: string): void {
    if (params.startsWith("?")) {
      const screens = params
        .slice(1)
        .split(";")
        .some((mode) => OTHER_SCREEN.has(mode));
      if (screens && (final === "h" || final === "l")) this.#otherScreen = final === "h";
      return;
    }
    if (!this.#otherScreen) this.#move(params.split(";").map(Number), final);
  }

  #move([first = 0, second = 0]: readonly number[], final: string): void {
    const count = Math.max(first, 1);
    switch (final) {
      case "A":
      case "F":
        return this.#goTo(this.#row - count, final === "F" ? 0 : this.#column);
      case "B":
      case "E":
        return this.#goTo(this.#row + count, final === "E" ? 0 : this.#column);
      case "C":
        return this.#goTo(this.#row, this.#column + count);
      case "D":
        return this.#goTo(this.#row, this.#column - count);
      case "G":
        return this.#goTo(this.#row, count - 1);
      case "H":
      case "f":
        return this.#goTo(count - 1, Math.max(second, 1) - 1);
      case "K":
        return this.#eraseLine(first);
      case "J":
        return this.#eraseScreen(first);
    }
  }

  #goTo(row: number, column: number): void {
    this.#row = Math.min(Math.max(row, 0), this.#rows - 1);
    this.#column = Math.min(Math.max(column, 0), WIDEST);
    while (this.#lines.length <= this.#row) this.#lines.push("");
  }

  #eraseLine(how: number): void {
    const line = this.#lines[this.#row] ?? "";
    if (how === 0) this.#lines[this.#row] = line.slice(0, this.#column);
    else if (how === 1) this.#lines[this.#row] = " ".repeat(this.#column) + line.slice(this.#column);
    else this.#lines[this.#row] = "";
  }

  #eraseScreen(how: number): void {
    if (how === 0) {
      this.#eraseLine(0);
      this.#lines.length = this.#row + 1;
    } else if (how === 2) this.#lines = this.#lines.map(() => "");
  }
}

/** Whether the rest of a sequence may still come. No sequence is longer than this: what is cut off then is text. */
function isBegun(text: string): boolean {
  return text.length < 8192 && /^\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)$/.test(text);
}

const ESC = "\x1b";
const WIDEST = 10_000;
const OTHER_SCREEN = new Set(["47", "1047", "1049"]);

/** Text; or a CSI with its parameters and final letter; or a string sequence (title, link, picture); or a short one; or one character. */
const TOKEN = new RegExp(
  [
    "([^\\x00-\\x1f\\x7f-\\x9f]+)",
    "\\x1b\\[([0-?]*)[ -/]*([@-~])",
    "\\x1b[\\]PX^_][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)",
    "\\x1b[ -/]*[0-OQ-WYZ`-~\\\\]",
    "[^]",
  ].join("|"),
  "g",
);
