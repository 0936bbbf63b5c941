import type { Clock } from "../../src/lib/base/clock.ts";

/** Time that a test moves by hand. */
export class FakeClock implements Clock {
  #now = Date.parse("2026-01-01T00:00:00.000Z");
  #timers: { at: number; call: () => void }[] = [];

  now = () => this.#now;
  monotonic = () => this.#now;

  after = (ms: number, call: () => void) => {
    const timer = { at: this.#now + ms, call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const takeBack = this.after(ms, resolve);
      signal?.addEventListener("abort", () => {
        takeBack();
        resolve();
      });
    });

  advance(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter((timer) => timer.at <= this.#now);
    this.#timers = this.#timers.filter((timer) => timer.at > this.#now);
    for (const timer of due.sort((a, b) => a.at - b.at)) timer.call();
  }
}
