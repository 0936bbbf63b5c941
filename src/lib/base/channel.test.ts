import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { Channel } from "./channel.ts";

async function readAll<T>(channel: Channel<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of channel) items.push(item);
  return items;
}

describe("Channel", () => {
  test("gives in order what was pushed before and while reading", async () => {
    const channel = new Channel<number>();
    channel.push(1);
    channel.push(2);
    const read = readAll(channel);
    await Promise.resolve();
    channel.push(3);
    channel.end();
    expect(await read).toEqual([1, 2, 3]);
  });

  test("undefined and null are items", async () => {
    const channel = new Channel<unknown>();
    channel.push(undefined);
    channel.push(null);
    channel.end();
    expect(await readAll(channel)).toEqual([undefined, null]);
  });

  test("a waiting reader sees the end", async () => {
    const channel = new Channel<number>();
    const read = readAll(channel);
    channel.end();
    expect(await read).toEqual([]);
    expect(channel.ended).toBe(true);
  });

  test("after the end nothing is taken, and a failure comes too late", async () => {
    const channel = new Channel<number>();
    channel.push(1);
    channel.end();
    channel.push(2);
    channel.fail(new Error("late"));
    expect(await readAll(channel)).toEqual([1]);
  });

  test("a failure comes after the items before it", async () => {
    const channel = new Channel<number>();
    channel.push(1);
    channel.fail(new Error("broken"));
    const seen: number[] = [];
    const read = async () => {
      for await (const item of channel) seen.push(item);
    };
    await expect(read()).rejects.toThrow("broken");
    expect(seen).toEqual([1]);
  });

  test("a failure of undefined is a failure", async () => {
    const channel = new Channel<number>();
    channel.fail(undefined);
    const outcome = await readAll(channel).then(
      () => "ended",
      () => "failed",
    );
    expect(outcome).toBe("failed");
  });

  test("a reader that leaves early costs no item", async () => {
    const channel = new Channel<number>();
    for (const item of [1, 2, 3]) channel.push(item);
    channel.end();
    for await (const item of channel) {
      expect(item).toBe(1);
      break;
    }
    expect(await readAll(channel)).toEqual([2, 3]);
  });

  test("a reader that never catches up does not keep what it has read", async () => {
    const channel = new Channel<object>();
    const refs: WeakRef<object>[] = [];
    const push = () => {
      const item = { bytes: Array.from({ length: 1000 }, () => 0) };
      refs.push(new WeakRef(item));
      channel.push(item);
    };
    for (let lag = 0; lag < 10; lag += 1) push();
    let read = 0;
    for await (const _item of channel) {
      read += 1;
      push();
      if (read === 5000) break;
      if (read % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise((resolve) => setImmediate(resolve));
    gc();
    const held = refs.slice(0, 2000).filter((ref) => ref.deref() !== undefined).length;
    expect(held).toBeLessThan(100);
  });

  test("a long backlog comes out whole and in order", async () => {
    const channel = new Channel<number>();
    for (let i = 0; i < 100_000; i += 1) channel.push(i);
    channel.end();
    let next = 0;
    for await (const item of channel) {
      if (item !== next) break;
      next += 1;
    }
    expect(next).toBe(100_000);
  });
});

/** Without a flag on the command line. */
function gc(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc()");
}
