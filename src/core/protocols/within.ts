import type { Clock } from "../../lib/base/clock.ts";

/** Whether it happened in time. What happens later is nobody's loss. */
export async function within(clock: Clock, ms: number, happening: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const inTime = happening.then(
    () => true,
    () => true,
  );
  const late = clock.sleep(ms, done.signal).then(() => false);
  const result = await Promise.race([inTime, late]);
  done.abort();
  return result;
}
