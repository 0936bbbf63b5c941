import { StringDecoder } from "node:string_decoder";
import { TerminalText } from "../../base/terminal-text.ts";

/** What a program said in one turn, as a person would retell it: without the echo of the question, and without its prompt. */
export class Spoken {
  readonly #decoder = new StringDecoder("utf8");
  readonly #terminal: TerminalText;
  readonly #isPrompt: (line: string) => boolean;
  readonly #asked: string;
  #text = "";

  constructor(asked: string, rows: number, isPrompt: (line: string) => boolean) {
    this.#asked = inOneLine(asked);
    this.#terminal = new TerminalText(rows);
    this.#isPrompt = isPrompt;
  }

  hear(chunk: Buffer): void {
    this.#text += this.#terminal.write(this.#decoder.write(chunk));
  }

  /** `screen` is what it shows in the end: all there is, where it draws instead of printing. */
  end(screen: readonly string[]): string {
    const printed = (this.#text + this.#terminal.end()).split("\n");
    const hasPrinted = printed.some((line) => line.trim() !== "");
    const echo = hasPrinted ? printed.findIndex(this.#isEcho) : screen.findLastIndex(this.#isEcho);
    const said = (hasPrinted ? printed : screen).slice(echo + 1).map((line) => line.trimEnd());
    while (said.length > 0 && (said.at(-1) === "" || this.#isPrompt(said.at(-1) ?? ""))) said.pop();
    return said.join("\n").trim();
  }

  /** The question, with no more than a prompt before it. */
  readonly #isEcho = (line: string): boolean => {
    const flat = inOneLine(line);
    return this.#asked !== "" && flat.endsWith(this.#asked) && flat.length <= this.#asked.length + 4;
  };
}

const inOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
