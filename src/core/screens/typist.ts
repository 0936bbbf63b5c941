import type { Clock } from "../../lib/base/clock.ts";

export interface TypistOptions {
  clock: Clock;
  /** Between two keys of one answer, and before Enter. */
  delayMs: number;
  /** More of it for each byte of a long text: the program has to take it in first. */
  delayPerByteMs: number;
  write(data: string): void;
}

/** Types what more than one wants typed, one after the other. A person's keys don't wait for it. */
export class Typist {
  readonly #options: TypistOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: TypistOptions) {
    this.#options = options;
  }

  /** Until this is done nobody else's text comes in between. */
  turn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.then(
      () => this.pause(),
      () => this.pause(),
    );
    return mine;
  }

  type(data: string): void {
    this.#options.write(data);
  }

  /** Waits as long as a program may need for a text of this length. */
  pause(bytes = 0): Promise<void> {
    const { clock, delayMs, delayPerByteMs } = this.#options;
    return clock.sleep(delayMs + Math.max(0, bytes - FREE_BYTES) * delayPerByteMs);
  }
}

const FREE_BYTES = 256;
