import {
  appendFileSync,
  closeSync,
  openSync,
  readdirSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type TailOptions, tailFile } from "./tail.ts";

/** Makes `fs.watch` fail, or stay silent, as it does on machines where it can't be had. */
const watching = vi.hoisted(() => ({ mode: "works" as "works" | "throws" | "silent" }));
vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const watch = (path: string, listener: () => void) => {
    if (watching.mode === "throws") throw Object.assign(new Error("EMFILE"), { code: "EMFILE" });
    return real.watch(path, watching.mode === "works" ? listener : () => {});
  };
  return { ...real, watch };
});
afterEach(() => {
  watching.mode = "works";
});

const at = temporaryFolder();
let count = 0;
function file(content = ""): string {
  const path = join(at, `file-${(count += 1)}`);
  writeFileSync(path, content);
  return path;
}

async function collect(path: string, options: TailOptions): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of tailFile(path, options)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1");
}

/** A promise and the way to settle it. */
function gate() {
  let open = () => {};
  let fail = (_error: Error) => {};
  const promise = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

/** Reads along and lets a test wait until so many bytes came. */
function follow(path: string, options: TailOptions) {
  let text = "";
  const state = {
    text: () => text,
    ended: (async () => {
      for await (const chunk of tailFile(path, options)) text += chunk.toString("latin1");
      return text;
    })(),
    until: (expected: string) => vi.waitFor(() => expect(text).toBe(expected), { timeout: 5000, interval: 1 }),
  };
  return state;
}

describe("what is read", () => {
  test("all that is there when it is over already", async () => {
    expect(await collect(file("abc"), { until: Promise.resolve() })).toBe("abc");
    expect(await collect(file(""), { until: Promise.resolve() })).toBe("");
    expect(await collect(file("abcdef"), { from: 4, until: Promise.resolve() })).toBe("ef");
  });

  test.each(["works", "throws", "silent"] as const)(
    "what is written meanwhile, in order (fs.watch %s)",
    async (mode) => {
      watching.mode = mode;
      const path = file("0");
      const over = gate();
      const tail = follow(path, { until: over.promise, pollMs: mode === "silent" ? 20 : undefined });
      let expected = "0";
      for (const part of ["one\n", "é\n", "x".repeat(300_000), "last"]) {
        appendFileSync(path, part, "latin1");
        expected += part;
        await tail.until(expected);
      }
      over.open();
      expect(await tail.ended).toBe(expected);
    },
  );

  test("what is written in the same instant in which it is over", async () => {
    for (let round = 0; round < 20; round += 1) {
      const path = file();
      const over = gate();
      const tail = follow(path, { until: over.promise });
      await new Promise((resolve) => setImmediate(resolve));
      appendFileSync(path, "x".repeat(700_000));
      over.open();
      expect((await tail.ended).length).toBe(700_000);
    }
  });

  test("nothing is expected after a failure either", async () => {
    const over = gate();
    const tail = follow(file("abc"), { until: over.promise });
    over.fail(new Error("whatever"));
    expect(await tail.ended).toBe("abc");
  });

  test("the rest of a file that was deleted", async () => {
    const path = file("abc");
    const over = gate();
    const tail = follow(path, { until: over.promise });
    await tail.until("abc");
    const fd = openSync(path, "a");
    unlinkSync(path);
    writeSync(fd, "def");
    closeSync(fd);
    over.open();
    expect(await tail.ended).toBe("abcdef");
  });

  test("buffers belong to the reader", async () => {
    const path = file();
    const over = gate();
    const chunks: Buffer[] = [];
    const reading = (async () => {
      for await (const chunk of tailFile(path, { until: over.promise })) chunks.push(chunk);
    })();
    for (const [index, size] of [10, 200_000, 20, 250_000, 30].entries()) {
      const before = Buffer.concat(chunks).length;
      appendFileSync(path, String(index).repeat(size));
      await vi.waitFor(() => expect(Buffer.concat(chunks).length).toBe(before + size), {
        interval: 1,
        timeout: 10_000,
      });
    }
    over.open();
    await reading;
    expect(Buffer.concat(chunks).toString()).toBe(
      "0".repeat(10) + "1".repeat(200_000) + "2".repeat(20) + "3".repeat(250_000) + "4".repeat(30),
    );
  });
});

describe("a file that becomes shorter", () => {
  test("is reported, and read on from its new end", async () => {
    const path = file("0123456789");
    const over = gate();
    const onShrunk = vi.fn();
    const tail = follow(path, { until: over.promise, onShrunk });
    await tail.until("0123456789");
    truncateSync(path, 4);
    await vi.waitFor(() => expect(onShrunk).toHaveBeenCalledWith(10, 4), { timeout: 5000 });
    appendFileSync(path, "after");
    await tail.until("0123456789after");
    over.open();
    expect(await tail.ended).toBe("0123456789after");
    expect(onShrunk).toHaveBeenCalledTimes(1);
  });

  test("after the end is no reason to wait", async () => {
    const path = file("x".repeat(600_000));
    const tail = tailFile(path, { until: Promise.resolve() });
    expect((await tail.next()).done).toBe(false);
    truncateSync(path, 5);
    expect((await tail.next()).done).toBe(true);
  });
});

describe("the end", () => {
  test("comes at once when aborted, while waiting, reading, or before", async () => {
    const waiting = new AbortController();
    const tail = follow(file("abc"), { signal: waiting.signal });
    await tail.until("abc");
    waiting.abort();
    expect(await tail.ended).toBe("abc");

    expect(await collect(file("abc"), { signal: AbortSignal.abort() })).toBe("");

    const reading = new AbortController();
    let chunks = 0;
    for await (const _chunk of tailFile(file("x".repeat(5_000_000)), { signal: reading.signal })) {
      chunks += 1;
      reading.abort();
    }
    expect(chunks).toBe(1);
  });

  test("does not wait for an orphan that writes without end", async () => {
    const path = file("x");
    const fd = openSync(path, "a");
    let read = 0;
    for await (const chunk of tailFile(path, { until: Promise.resolve() })) {
      read += chunk.length;
      writeSync(fd, Buffer.alloc(600_000));
      if (read > 50_000_000) break;
    }
    closeSync(fd);
    expect(read).toBe(1);
  });

  test("leaves nothing open, however it ends", async () => {
    const open = () => readdirSync("/proc/self/fd").length;
    const path = file("abc");
    await collect(path, { until: Promise.resolve() });
    const before = open();
    for (let round = 0; round < 50; round += 1) {
      await collect(path, { until: Promise.resolve() });
      const aborted = new AbortController();
      const tail = follow(path, { signal: aborted.signal });
      aborted.abort();
      await tail.ended;
      for await (const _chunk of tailFile(path)) break;
    }
    expect(open()).toBeLessThanOrEqual(before);
  });

  test("a file that isn't there is an error with its path", async () => {
    await expect(collect(join(at, "none"), {})).rejects.toMatchObject({
      code: "store.damaged",
      message: expect.stringContaining(join(at, "none")),
    });
  });
});

test("a burst leaves the event loop its turns", async () => {
  const path = file("x".repeat(64 * 1024 * 1024));
  let turns = 0;
  const tick = () => {
    turns += 1;
    handle = setImmediate(tick);
  };
  let handle = setImmediate(tick);
  let read = 0;
  for await (const chunk of tailFile(path, { until: Promise.resolve() })) read += chunk.length;
  clearImmediate(handle);
  expect(read).toBe(64 * 1024 * 1024);
  expect(turns).toBeGreaterThanOrEqual(60);
});

test("a write is seen at once, not at the next look", async () => {
  const path = file();
  const over = gate();
  const latencies: number[] = [];
  let written = 0;
  let seen = gate();
  const reading = (async () => {
    for await (const _chunk of tailFile(path, { until: over.promise })) {
      latencies.push(performance.now() - written);
      seen.open();
    }
  })();
  const fd = openSync(path, "a");
  for (let round = 0; round < 100; round += 1) {
    seen = gate();
    await new Promise((resolve) => setTimeout(resolve, 1));
    written = performance.now();
    writeSync(fd, "line\n");
    await seen.promise;
  }
  closeSync(fd);
  over.open();
  await reading;
  latencies.sort((a, b) => a - b);
  expect(latencies[50]).toBeLessThan(5);
});
