import type { WrappedRun } from "../../core/runner/wrap.ts";
import type { Context } from "../../lib/command/command.ts";
import type { Pty } from "../../lib/process/terminal/pty.ts";
import { makeRaw, restoreModes, terminalModes } from "../../lib/process/terminal/stty.ts";

/** How the inner terminal is set, so that the two of them together behave as the person's alone would. */
export interface TerminalPlan {
  size: { cols: number; rows: number };
  modes: readonly string[];
}

/** Without a person's terminal there is still one for the program: 80 columns, no echo. */
export class PersonTerminal {
  readonly plan: TerminalPlan;
  readonly #context: Context;
  readonly #modes: string | undefined;
  readonly #cleanUp: (() => void)[] = [];

  constructor(context: Context) {
    this.#context = context;
    const { stdin, stdout } = context;
    this.#modes = stdin.isTTY ? terminalModes() : undefined;
    // Where what we print is made into lines by somebody else, or goes to a file, the inner terminal leaves it alone.
    const alone = this.#modes === undefined || !stdout.isTTY ? ["-opost"] : [];
    this.plan = { size: this.#size(), modes: [...(this.#modes?.split(" ") ?? ["sane", "iutf8", "-echo"]), ...alone] };
  }

  /** From here on every key is the program's, Ctrl-C too. */
  connect(run: WrappedRun): void {
    const { pty } = run;
    const { stdin, stdout } = this.#context;
    this.#takeOver();
    let last = LF;
    const typed = (chunk: Buffer) => {
      last = chunk.at(-1) ?? last;
      pty.write(chunk);
    };
    let known = this.plan.size;
    const resized = () => {
      const { cols, rows } = this.#size();
      if (cols !== known.cols || rows !== known.rows) run.resize(cols, rows);
      known = { cols, rows };
    };
    const drained = () => pty.resume();
    stdin.on("data", typed);
    // A pipe that ends is Ctrl-D. Only at the beginning of a line that is the end of the input; else it ends the line.
    stdin.once("end", () => pty.write(Buffer.from(last === LF ? "\x04" : "\x04\x04")));
    stdin.resume();
    stdout.on("drain", drained);
    process.on("SIGWINCH", resized);
    resized(); // it may have changed while the program was started
    this.#cleanUp.push(() => {
      stdin.off("data", typed);
      stdin.pause();
      stdout.off("drain", drained);
      process.off("SIGWINCH", resized);
    });
    if (this.#modes !== undefined) this.#followSuspension(pty, resized);
  }

  /** Whether more is welcome now. */
  print(chunk: Buffer): boolean {
    return this.#context.stdout.write(chunk);
  }

  release(): void {
    for (const step of this.#cleanUp.splice(0)) step();
    this.#giveBack();
  }

  /**
   * A program that is suspended expects its shell to take over, but its shell is ours: so we are suspended too, and when we are
   * continued it is.
   */
  #followSuspension(pty: Pty, redraw: () => void): void {
    const timer = setInterval(() => {
      if (!pty.isSuspended()) return;
      this.#giveBack();
      process.kill(0, "SIGTSTP"); // returns when the person says fg, or at once where there is no shell to say it
      this.#takeOver();
      pty.continue();
      redraw();
    }, SUSPENDED_MS);
    this.#cleanUp.push(() => clearInterval(timer));
  }

  #takeOver(): void {
    if (this.#modes !== undefined) makeRaw();
  }

  #giveBack(): void {
    if (this.#modes !== undefined) restoreModes(this.#modes);
  }

  #size(): { cols: number; rows: number } {
    const screen = [this.#context.stdout, this.#context.stderr].find((stream) => stream.isTTY);
    screen?.getWindowSize(); // asks the terminal, not what Node remembers of it
    return { cols: screen?.columns || 80, rows: screen?.rows || 24 };
  }
}

const LF = 10;
/** Elsewhere a look costs a process. */
const SUSPENDED_MS = process.platform === "linux" ? 250 : 1000;
