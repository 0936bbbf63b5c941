import type { Clock } from "../base/clock.ts";
import type { EndCause } from "./verdict.ts";

export interface Limits {
  timeoutMs: number;
  idleTimeoutMs?: number;
}

/** Ends a run that takes too long in all, or that has been silent too long while nobody was asked anything. */
export class LimitWatch {
  readonly #clock: Clock;
  readonly #idleMs: number | undefined;
  readonly #onLimit: (cause: EndCause) => void;
  readonly #takeBackTotal: () => void;
  #takeBackIdle: () => void = () => {};

  constructor(limits: Limits, clock: Clock, onLimit: (cause: EndCause) => void) {
    this.#clock = clock;
    this.#idleMs = limits.idleTimeoutMs;
    this.#onLimit = onLimit;
    const detail = `took longer than ${seconds(limits.timeoutMs)} in all (--timeout)`;
    this.#takeBackTotal = clock.after(limits.timeoutMs, () => onLimit({ by: "limit", reason: "timeout", detail }));
  }

  /** Something happened. While a person is being asked or nothing is under way, silence is no fault of the agent's. */
  heard(expectMore: boolean): void {
    this.#takeBackIdle();
    const ms = this.#idleMs;
    if (ms === undefined || !expectMore) return;
    const detail = `silent for ${seconds(ms)} (--idle-timeout)`;
    this.#takeBackIdle = this.#clock.after(ms, () => this.#onLimit({ by: "limit", reason: "idle_timeout", detail }));
  }

  end(): void {
    this.#takeBackTotal();
    this.#takeBackIdle();
  }
}

const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;
