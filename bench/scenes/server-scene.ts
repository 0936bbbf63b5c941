import { type ChildProcess, fork } from "node:child_process";
import { request } from "node:http";
import { join } from "node:path";
import type { Home } from "../../src/core/store/home.ts";
import { RunIndex } from "../../src/faces/server/runs/run-index.ts";
import { Streams } from "../../src/faces/server/streams/streams.ts";
import { systemClock } from "../../src/lib/base/clock.ts";
import { createApp } from "../../src/lib/http/app.ts";
import { listen } from "../../src/lib/http/listen.ts";
import { root } from "./scene.ts";

export interface StreamServer {
  url: string;
  close(): Promise<void>;
}

/** The product's streams in this process, without the rest of the server: its cost is the process's. */
export async function streamServer(home: Home): Promise<StreamServer> {
  const streams = new Streams({ home, clock: systemClock, runs: new RunIndex(home) });
  let port = 0;
  const app = createApp({
    routes: [
      {
        method: "GET",
        path: "/runs/{run}/stream",
        access: "open",
        handle: async (exchange) => {
          const after = Number(exchange.request.headers["last-event-id"] ?? 0);
          await streams.run(exchange.params.run ?? "", after, undefined, exchange);
          return undefined;
        },
      },
      {
        method: "GET",
        path: "/stream",
        access: "open",
        handle: async (exchange) => {
          await streams.scope(undefined, "now", undefined, exchange);
          return undefined;
        },
      },
    ],
    hosts: () => [`127.0.0.1:${port}`],
    authenticate: () => undefined,
  });
  const listening = await listen(app, { host: "127.0.0.1", port: 0 });
  port = listening.port;
  const close = async () => {
    streams.close();
    await listening.close();
  };
  return { url: listening.url, close };
}

export interface Drain {
  /** Resolves when all clients together have this many events. */
  until(events: number): Promise<void>;
  end(): void;
}

/** Clients in a process of their own: what they cost is not measured. */
export async function drain(url: string, clients: number): Promise<Drain> {
  const child = fork(join(root, "bench/fixtures/drain.mjs"), [url, "t", String(clients)]);
  await told(child);
  return {
    async until(wanted) {
      for (;;) {
        child.send("count");
        const { events } = await told<{ events: number }>(child);
        if (events >= wanted) return;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    end: () => child.disconnect(),
  };
}

export function told<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve) => child.once("message", (message) => resolve(message as T)));
}

/** The times it took from the stamp in each event's text to its arrival here, in milliseconds. */
export function delaysOf(url: string, headers: Record<string, string>, count: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const delays: number[] = [];
    const asked = request(url, { headers }, (response) => {
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        const now = performance.timeOrigin + performance.now();
        for (const [, stamp] of chunk.matchAll(/"text":"([\d.]{14,}) "/g)) delays.push(now - Number(stamp));
        if (delays.length < count) return;
        asked.destroy();
        resolve(delays);
      });
    });
    asked.on("error", (error) => (delays.length < count ? reject(error) : undefined));
    asked.end();
  });
}

export const cpuSince = (begin: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(begin);
  return user + system;
};
