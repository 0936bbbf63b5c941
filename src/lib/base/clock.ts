/** Time as a value that can be passed, so that tests move it instead of waiting. */
export interface Clock {
  /** Wall time in milliseconds: for records, never for measuring. */
  now(): number;
  /** Monotonic milliseconds: for measuring and deadlines. */
  monotonic(): number;
  /** Resolves early, without an error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `ms`; the returned function takes it back. Doesn't keep the process alive. */
  after(ms: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // Not `performance`, whose first use loads a dozen modules.
  monotonic: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, MAX_TIMER));
      signal?.addEventListener("abort", done);
    }),
  after: (ms, call) => {
    const timer = setTimeout(call, Math.min(ms, MAX_TIMER));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Node fires timers beyond this at once. */
const MAX_TIMER = 2 ** 31 - 1;
