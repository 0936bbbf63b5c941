import type { Clock } from "../../../lib/base/clock.ts";

/**
 * `said`: the CLI has just said (again) that it waits for the network; once it is through it goes on silently, perhaps to a
 * long thought, so only the next such line may be the last straw. `silent`: it says nothing at all until the server answers.
 */
export type Waiting = "no" | "said" | "silent";

/** How long a CLI may wait for the model's server and nothing else, when it would never give up by itself. */
export class Patience {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #exhausted: (waitedMs: number) => void;
  #since: number | undefined;
  #disarm: (() => void) | undefined;

  constructor(clock: Clock, limitMs: number, exhausted: (waitedMs: number) => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#exhausted = exhausted;
  }

  observe(waiting: Waiting): void {
    if (waiting === "no") return this.end();
    const now = this.#clock.monotonic();
    this.#since ??= now;
    const waited = now - this.#since;
    if (waiting === "silent") this.#disarm ??= this.#clock.after(this.#limitMs, () => this.#exhausted(this.#limitMs));
    else if (waited >= this.#limitMs) this.#exhausted(waited);
  }

  end(): void {
    this.#disarm?.();
    this.#disarm = undefined;
    this.#since = undefined;
  }
}
