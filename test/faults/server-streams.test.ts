import { readFileSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { EventParser } from "../../src/lib/client/event-parser.ts";
import { scene, until } from "../support/cox.ts";
import { type LoudRun, loudRun } from "../support/loud-run.ts";
import { type RunningServer, startServer } from "../support/server.ts";

const ends: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Listener {
  seqs: number[];
  /** Milliseconds between the writing of an event and its arrival. */
  delays: number[];
  leave(): void;
  live: Promise<void>;
}

/** Follows a run by hand: what it is sent is what it counts. */
function listen({ url, token }: RunningServer, run: string, after = 0): Listener {
  const parser = new EventParser();
  const listener: Listener = { seqs: [], delays: [], leave: () => {}, live: Promise.resolve() };
  let isLive = () => {};
  listener.live = new Promise((resolve) => {
    isLive = resolve;
  });
  const path = `${url}/api/v1/runs/${run}/stream?after=${after}`;
  const asked: ClientRequest = request(path, { headers: { authorization: `Bearer ${token}` } }, (response) => {
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      const now = performance.timeOrigin + performance.now();
      for (const { event, id, data } of parser.push(chunk)) {
        if (event === "live") isLive();
        if (event !== "message") continue;
        listener.seqs.push(Number(id));
        const at = /"text":"([\d.]+) /.exec(data)?.[1];
        if (at !== undefined) listener.delays.push(now - Number(at));
      }
    });
  });
  asked.on("error", () => {}); // we left
  asked.end();
  listener.leave = () => asked.destroy();
  return listener;
}

/** Connects and never reads. */
function stuck({ url, token }: RunningServer, run: string, after = 0): Promise<IncomingMessage> {
  return new Promise((resolve) => {
    const asked = request(
      `${url}/api/v1/runs/${run}/stream?after=${after}`,
      { headers: { authorization: `Bearer ${token}` } },
      (response) => {
        response.pause();
        response.on("error", () => {});
        resolve(response);
      },
    );
    asked.on("error", () => {});
    asked.end();
    ends.push(() => void asked.destroy());
  });
}

async function stage(): Promise<{ server: RunningServer; run: LoudRun }> {
  const made = scene();
  const server = await startServer(made);
  ends.push(() => server.stop());
  const run = await loudRun(made.home);
  ends.push(() => run.end());
  return { server, run };
}

const dense = (seqs: readonly number[], from: number) => seqs.every((seq, index) => seq === from + index);
const quantile = (values: readonly number[], q: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? 0;
const rssOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

describe("streams under load", () => {
  test("1,000 subscriptions come and go against 5,000 events a second: no gap, no repeat", {
    timeout: 600_000,
  }, async () => {
    const { server, run } = await stage();
    run.shout({ perSecond: 5000, bytes: 150 });
    const watcher = listen(server, run.id);
    await watcher.live;
    let total = 0;
    const visit = async (place: number) => {
      // Some from the beginning, some from a place, some from the newest: each must hear a row without holes.
      const known = watcher.seqs.at(-1) ?? 0;
      const after = place % 3 === 0 ? Math.max(0, known - 500) : place % 3 === 1 ? known : Math.max(0, known - 3000);
      const listener = listen(server, run.id, after);
      await listener.live;
      const target = listener.seqs.length + 20 + (place % 7) * 30;
      await until(() => listener.seqs.length >= target);
      listener.leave();
      expect(dense(listener.seqs, after + 1)).toBe(true);
      total += listener.seqs.length;
    };
    for (let round = 0; round < 1000; round += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => visit(round + index)));
    }
    await run.quiet();
    await until(() => watcher.seqs.at(-1) === run.written());
    expect(dense(watcher.seqs, 1)).toBe(true);
    expect(watcher.seqs).toHaveLength(run.written());
    expect(total).toBeGreaterThan(100_000);
    watcher.leave();
  });

  test("a client that never reads costs little memory, and the others nothing", async () => {
    const { server, run } = await stage();
    const round = async (withStuck: boolean) => {
      const others = Array.from({ length: 5 }, () => listen(server, run.id, run.written()));
      await Promise.all(others.map(({ live }) => live));
      const one = withStuck ? await stuck(server, run.id, run.written()) : undefined;
      run.shout({ perSecond: 1000, bytes: 2000 });
      await new Promise((resolve) => setTimeout(resolve, 3000));
      await run.quiet();
      await until(() => others.every(({ seqs }) => seqs.at(-1) === run.written()));
      for (const { leave } of others) leave();
      one?.destroy();
      return others.flatMap(({ delays }) => delays);
    };
    await round(false); // warms up
    const before = rssOf(server.pid);
    const ratios: { p50: number; p99: number }[] = [];
    for (let i = 0; i < 5; i += 1) {
      const alone = await round(false);
      const beside = await round(true);
      ratios.push({
        p50: quantile(beside, 0.5) / quantile(alone, 0.5),
        p99: quantile(beside, 0.99) / quantile(alone, 0.99),
      });
    }
    const grown = rssOf(server.pid) - before;
    const median = (key: "p50" | "p99") =>
      quantile(
        ratios.map((ratio) => ratio[key]),
        0.5,
      );
    console.log(JSON.stringify({ grownMb: grown, p50: median("p50"), p99: median("p99") }));
    expect(grown).toBeLessThanOrEqual(32); // the garbage of a busy machine, too
    expect(median("p50")).toBeLessThanOrEqual(1.5);
    expect(median("p99")).toBeLessThanOrEqual(4);
  });

  test("a client that reads too slowly is told to begin again, and misses nothing when it does", async () => {
    const { server, run } = await stage();
    const slow = await stuck(server, run.id);
    await new Promise((resolve) => setTimeout(resolve, 200));
    run.shout({ perSecond: 2000, bytes: 4000 });
    await until(() => run.written() > 10_000);
    await run.quiet();
    const parser = new EventParser();
    const seqs: number[] = [];
    let isReset = false;
    slow.setEncoding("utf8");
    slow.on("data", (chunk: string) => {
      for (const { event, id } of parser.push(chunk)) {
        if (event === "reset") isReset = true;
        if (event === "message") seqs.push(Number(id));
      }
    });
    slow.resume();
    await new Promise((resolve) => slow.on("close", resolve));
    expect(isReset).toBe(true);
    expect(dense(seqs, 1)).toBe(true);
    const again = listen(server, run.id, seqs.at(-1));
    await until(() => again.seqs.at(-1) === run.written());
    expect(dense(again.seqs, (seqs.at(-1) ?? 0) + 1)).toBe(true);
    again.leave();
  });
});
