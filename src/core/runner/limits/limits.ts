import type { Clock } from "../../../lib/base/clock.ts";
import type { EndCause } from "../ending/verdict.ts";

export interface Limits {
  timeoutMs: number;
  idleTimeoutMs?: number;
  /** Where they were set. */
  timeoutFrom?: string;
  idleTimeoutFrom?: string;
  /** Close the conversation when nothing was asked of it for this long: the next prompt goes on with it. */
  closeIdleMs?: number;
}

/** Ends a run that takes too long in all, or that has been silent too long while nobody was asked anything. */
export class LimitWatch {
  readonly #clock: Clock;
  readonly #idleMs: number | undefined;
  readonly #idleFrom: string | undefined;
  readonly #closeMs: number | undefined;
  readonly #onLimit: (cause: EndCause) => void;
  readonly #takeBackTotal: () => void;
  #takeBackIdle: () => void = () => {};

  constructor(limits: Limits, clock: Clock, onLimit: (cause: EndCause) => void) {
    this.#clock = clock;
    this.#idleMs = limits.idleTimeoutMs;
    this.#idleFrom = limits.idleTimeoutFrom;
    this.#closeMs = limits.closeIdleMs;
    this.#onLimit = onLimit;
    const detail = `took longer than ${seconds(limits.timeoutMs)} in all${setBy(limits.timeoutFrom)}`;
    this.#takeBackTotal = clock.after(limits.timeoutMs, () => onLimit({ by: "limit", reason: "timeout", detail }));
  }

  /** Something happened. While a person is being asked, silence is no fault of the agent's. */
  heard(now: "working" | "waiting" | "idle"): void {
    this.#takeBackIdle();
    this.#takeBackIdle = () => {};
    const ms = now === "working" ? this.#idleMs : now === "idle" ? this.#closeMs : undefined;
    if (ms === undefined) return;
    const cause: EndCause =
      now === "idle"
        ? { by: "idle", detail: `nothing was asked for ${seconds(ms)}; the next prompt goes on with it` }
        : { by: "limit", reason: "idle_timeout", detail: `silent for ${seconds(ms)}${setBy(this.#idleFrom)}` };
    this.#takeBackIdle = this.#clock.after(ms, () => this.#onLimit(cause));
  }

  end(): void {
    this.#takeBackTotal();
    this.#takeBackIdle();
  }
}

const setBy = (from: string | undefined) => (from === undefined ? "" : ` (${from})`);
const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;
