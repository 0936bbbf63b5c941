import { StringDecoder } from "node:string_decoder";
import { TerminalText } from "../../../lib/text/terminal-text.ts";

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

  /** `screen` is what it shows in the end, given where it draws on the whole of it instead of printing. */
  end(screen?: readonly string[]): string {
    const lines = screen ?? (this.#text + this.#terminal.end()).split("\n");
    const echo = screen === undefined ? lines.findIndex(this.#isEcho) : lines.findLastIndex(this.#isEcho);
    const after = lines.slice(echo + 1).map((line) => line.trimEnd());
    // Below a rule there is the place for the next prompt.
    const rule = screen === undefined ? -1 : after.findIndex((line) => /^\s*[─━]{10,}/u.test(line));
    const said = rule === -1 ? after : after.slice(0, rule);
    while (said.length > 0 && (said.at(-1) === "" || this.#isPrompt(said.at(-1) ?? ""))) said.pop();
    return said
      .join("\n")
      .trim()
      .replace(/\n{3,}/g, "\n\n");
  }

  /** The question, with no more than a prompt before it. */
  readonly #isEcho = (line: string): boolean => {
    const flat = inOneLine(line);
    return this.#asked !== "" && flat.endsWith(this.#asked) && flat.length <= this.#asked.length + 4;
  };
}

const inOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
