import { describe, expect, test } from "vitest";
import { systemClock } from "../../lib/base/clock.ts";
import { KeyedQueue } from "./queue.ts";

const none = () => {};

describe("the queue", () => {
  test("works on a key once, however often it was added, and never twice at the same time", async () => {
    const queue = new KeyedQueue(systemClock);
    const stop = new AbortController();
    const seen: string[] = [];
    const busy = new Set<string>();
    let clashes = 0;
    for (const key of ["a", "b", "a", "a", "b"]) queue.add(key);
    expect(queue.depth).toBe(2);
    const running = queue.run(
      4,
      async (key) => {
        if (busy.has(key)) clashes += 1;
        busy.add(key);
        seen.push(key);
        // Added while it is worked on: looked at once more, afterwards.
        if (seen.filter((other) => other === key).length === 1) for (let i = 0; i < 5; i += 1) queue.add(key);
        await systemClock.sleep(5);
        busy.delete(key);
        if (seen.length === 4) stop.abort();
        return undefined;
      },
      none,
      stop.signal,
    );
    await running;
    expect(seen.sort()).toEqual(["a", "a", "b", "b"]);
    expect(clashes).toBe(0);
  });

  test("tries again what failed, later each time, and forgets failures after a success", async () => {
    const waits: number[] = [];
    const clock = {
      ...systemClock,
      after: (ms: number, call: () => void) => (waits.push(ms), queueMicrotask(call), none),
    };
    const queue = new KeyedQueue(clock, () => 1);
    const stop = new AbortController();
    const errors: unknown[] = [];
    let calls = 0;
    queue.add("a");
    await queue.run(
      1,
      async () => {
        calls += 1;
        if (calls <= 4) throw new Error(`no ${calls}`);
        if (calls === 5) return { afterMs: 7 };
        if (calls === 6) throw new Error("no 6");
        stop.abort();
        return undefined;
      },
      (_, error) => errors.push(error),
      stop.signal,
    );
    expect(waits).toEqual([200, 400, 800, 1600, 7, 200]);
    expect(errors).toHaveLength(5);
  });

  test("of several times for a key the earliest counts", async () => {
    const planned: { ms: number; taken: boolean }[] = [];
    const clock = {
      ...systemClock,
      monotonic: () => 0,
      after: (ms: number) => {
        const entry = { ms, taken: false };
        planned.push(entry);
        return () => void (entry.taken = true);
      },
    };
    const queue = new KeyedQueue(clock);
    queue.addAfter("a", 100);
    queue.addAfter("a", 500);
    queue.addAfter("a", 50);
    expect(planned).toEqual([
      { ms: 100, taken: true },
      { ms: 50, taken: false },
    ]);
  });
});
