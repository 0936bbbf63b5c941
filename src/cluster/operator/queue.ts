import { type Backoff, backoffMs } from "../../lib/base/backoff.ts";
import type { Clock } from "../../lib/base/clock.ts";

/** What a round of work on a key asks for: nothing, or to be called again. */
export type Again = { afterMs: number } | undefined;

const RETRY: Backoff = { base: 200, factor: 2, cap: 60_000 };

/**
 * Keys that need a look. A key is in it once however often it is added, and is worked on by one worker at a time: added
 * meanwhile, it is looked at once more afterwards. So nothing that happens is missed, and nothing is done twice at once.
 */
export class KeyedQueue {
  readonly #clock: Clock;
  readonly #random: () => number;
  /** Waiting keys, in order, with the time they came. */
  readonly #waiting = new Map<string, number>();
  readonly #working = new Set<string>();
  readonly #addedMeanwhile = new Set<string>();
  readonly #timers = new Map<string, { at: number; cancel: () => void }>();
  readonly #failures = new Map<string, number>();
  #wake: (() => void)[] = [];
  #ended = false;

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Keys that wait now; those that wait for a time of their own are not counted. */
  get depth(): number {
    return this.#waiting.size;
  }

  add(key: string): void {
    if (this.#ended) return;
    if (this.#working.has(key)) this.#addedMeanwhile.add(key);
    else if (!this.#waiting.has(key)) {
      this.#waiting.set(key, this.#clock.monotonic());
      this.#wake.shift()?.();
    }
  }

  /** Of several times for one key the earliest counts. */
  addAfter(key: string, ms: number): void {
    const at = this.#clock.monotonic() + ms;
    const planned = this.#timers.get(key);
    if (this.#ended || (planned !== undefined && planned.at <= at)) return;
    planned?.cancel();
    const cancel = this.#clock.after(ms, () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, { at, cancel });
  }

  /**
   * Works on keys, `workers` at a time, until the signal aborts. A round that throws is told to `onError` and tried again,
   * later each time; one that succeeds starts that count anew.
   */
  async run(
    workers: number,
    work: (key: string, waitedMs: number) => Promise<Again>,
    onError: (key: string, error: unknown) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const end = () => this.#end();
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    await Promise.all(Array.from({ length: workers }, () => this.#worker(work, onError)));
    signal.removeEventListener("abort", end);
  }

  async #worker(
    work: (key: string, waitedMs: number) => Promise<Again>,
    onError: (key: string, error: unknown) => void,
  ): Promise<void> {
    for (let next = await this.#take(); next !== undefined; next = await this.#take()) {
      const { key, since } = next;
      try {
        const again = await work(key, this.#clock.monotonic() - since);
        this.#failures.delete(key);
        if (again !== undefined) this.addAfter(key, again.afterMs);
      } catch (error) {
        const failures = (this.#failures.get(key) ?? 0) + 1;
        this.#failures.set(key, failures);
        onError(key, error);
        this.addAfter(key, backoffMs(failures, RETRY, this.#random));
      }
      this.#working.delete(key);
      if (this.#addedMeanwhile.delete(key)) this.add(key);
    }
  }

  async #take(): Promise<{ key: string; since: number } | undefined> {
    for (;;) {
      if (this.#ended) return undefined;
      const first = this.#waiting.entries().next();
      if (!first.done) {
        const [key, since] = first.value;
        this.#waiting.delete(key);
        this.#working.add(key);
        return { key, since };
      }
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  #end(): void {
    this.#ended = true;
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    for (const wake of this.#wake.splice(0)) wake();
  }
}
