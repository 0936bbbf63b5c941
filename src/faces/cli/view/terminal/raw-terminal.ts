import type { Context } from "../../../../lib/command/command.ts";
import { type Key, KeyReader } from "../live/keys.ts";

const PASTE_ON = "\x1b[?2004h";
const PASTE_OFF = "\x1b[?2004l";

export interface TerminalHands {
  press(keys: readonly Key[]): void;
  /** It has another size, or somebody else had it: what is drawn is not where it was. */
  redraw(): void;
  /** The shell gets it, until `redraw`. */
  clear(): void;
  /** It hung up. */
  gone(): void;
  /** The process ends in a hurry: what was begun is closed. */
  exit(): void;
}

/** A person's terminal while every key is ours, Ctrl-C and Ctrl-Z too. Without a keyboard it only has a size. */
export class RawTerminal {
  readonly #context: Pick<Context, "stdin" | "stdout">;
  readonly #hands: TerminalHands;
  readonly #keys = new KeyReader();
  #open = true;

  constructor(context: Pick<Context, "stdin" | "stdout">, hands: TerminalHands) {
    this.#context = context;
    this.#hands = hands;
    const { stdin, stdout } = context;
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

  /** As any other program of the shell: it has the terminal until the person says `fg`. Where there is no shell, we go on at once. */
  suspend(): void {
    this.#hands.clear();
    this.#giveBack();
    process.kill(0, "SIGTSTP"); // returns when we go on
    this.#onContinued();
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    const { stdin, stdout } = this.#context;
    stdout.off("resize", this.#onResize);
    if (!stdin.isTTY) return;
    process.off("exit", this.#onExit);
    process.off("SIGCONT", this.#onContinued);
    stdin.off("data", this.#onData);
    stdin.off("end", this.#onGone);
    this.#giveBack();
    stdin.pause();
  }

  #takeOver(): void {
    const { stdin, stdout } = this.#context;
    stdin.setRawMode(true);
    stdout.write(PASTE_ON);
  }

  #giveBack(): void {
    const { stdin, stdout } = this.#context;
    stdout.write(PASTE_OFF);
    stdin.setRawMode(false);
  }

  readonly #onData = (data: string | Buffer): void => this.#hands.press(this.#keys.read(String(data)));
  readonly #onResize = (): void => this.#hands.redraw();
  readonly #onGone = (): void => this.#hands.gone();
  readonly #onExit = (): void => this.#hands.exit();

  /** Whoever had the terminal meanwhile may have set it as they like. */
  readonly #onContinued = (): void => {
    if (!this.#open) return;
    this.#giveBack();
    this.#takeOver();
    this.#hands.redraw();
  };
}
