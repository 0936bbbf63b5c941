export interface Backoff {
  /** The longest wait before the first retry, in milliseconds. */
  base: number;
  factor: number;
  cap: number;
}

/**
 * How long to wait before retry number `attempt` (the first is 1). Half of the wait is fixed, so nobody retries in a busy
 * loop, and half is random, so that those who failed together don't come back together.
 */
export function backoffMs(attempt: number, { base, factor, cap }: Backoff, random: () => number): number {
  const longest = Math.min(cap, base * factor ** Math.max(0, attempt - 1));
  return Math.round(longest / 2 + (longest / 2) * random());
}
