import { fork } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { AgentEvent } from "../../src/contract/events.ts";
import { blankRunInfo, type RunInfo } from "../../src/contract/runs/run.ts";
import { listRuns } from "../../src/core/runs/list-runs.ts";
import { EventLog } from "../../src/core/store/events/event-log.ts";
import { type Home, openHome, runFolder } from "../../src/core/store/home.ts";
import { appendLedger, endRecord, startRecord } from "../../src/core/store/ledger/ledger.ts";
import { claimRun, releaseRun } from "../../src/core/store/runs/claims.ts";
import { runPaths } from "../../src/core/store/runs/run-directory.ts";
import { writeRunInfo } from "../../src/core/store/runs/run-info.ts";
import type { Comparison } from "../measure/figure.ts";
import { historyOf } from "../scenes/history.ts";
import { root, temporary } from "../scenes/scene.ts";
import { cpuSince, drain, streamServer, told } from "../scenes/server-scene.ts";

const CLIENTS = 200;
const TICKS = 100;
const PER_TICK = 20;
const text = "words of an agent that goes on and on, as they do. ".repeat(4);

/** What the server costs, each against the least that would do the same. */
export async function server(): Promise<Comparison[]> {
  return [...(await fanOut()), ...replay(), ...(await growth()), ...(await busyLoop()), ...pages()];
}

const at = new Date().toISOString();
let made = 0;

function newRun(home: Home, live: boolean): { id: string; log: EventLog; eventsPath: string } {
  made += 1;
  const id = `20261115-0900000000-${String(process.pid).padStart(7, "0")}-${String(made).padStart(5, "0")}`;
  const { dir, info: infoPath, events } = runPaths(runFolder(home, "p", "t", id));
  mkdirSync(dir, { recursive: true });
  const info: RunInfo = { ...blankRunInfo, run_id: id, project_id: "p", task_id: "t", agent: "demo", start_time: at };
  writeRunInfo(infoPath, info);
  appendLedger(home, startRecord(info, "a run"));
  if (live) claimRun(home, id, { pid: process.pid, start: "", boot: "", namespace: "", dir });
  else appendLedger(home, endRecord({ ...info, status: "completed", end_time: at }));
  return { id, log: new EventLog(events), eventsPath: events };
}

const chunk = (turn: string): AgentEvent => ({ type: "message_chunk", turn, messageId: "m1", text });
const tick = () => new Promise((resolve) => setTimeout(resolve, 4));

/** Events to many at once: a server that has them in memory and writes one buffer per tick, against ours, which reads a log. */
async function fanOut(): Promise<Comparison[]> {
  const home = openHome(join(temporary().folder, "home"));
  const events = Array.from({ length: PER_TICK }, (_, i) => chunk(`t${i}`));
  const trivial = async () => {
    const responses = new Set<ServerResponse>();
    const plain = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      response.write(":\n\n");
      responses.add(response);
    });
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    const clients = await drain(`http://127.0.0.1:${(plain.address() as AddressInfo).port}/`, CLIENTS);
    const begin = process.cpuUsage();
    for (let n = 0, seq = 0; n < TICKS; n += 1) {
      const frames = events.map((event) => {
        seq += 1;
        return `id: ${seq}\ndata: ${JSON.stringify({ seq, at, ...event })}\n\n`;
      });
      const bytes = Buffer.from(frames.join(""));
      for (const response of responses) response.write(bytes);
      await tick();
    }
    await clients.until(CLIENTS * TICKS * PER_TICK);
    const cost = cpuSince(begin);
    clients.end();
    plain.closeAllConnections();
    plain.close();
    return cost;
  };
  const ours = async () => {
    const run = newRun(home, true);
    const serving = await streamServer(home);
    const clients = await drain(`${serving.url}/runs/${run.id}/stream`, CLIENTS);
    const begin = process.cpuUsage();
    for (let n = 0; n < TICKS; n += 1) {
      run.log.append(events, at);
      await tick();
    }
    await clients.until(CLIENTS * TICKS * PER_TICK);
    const cost = cpuSince(begin);
    clients.end();
    run.log.close();
    releaseRun(home, run.id);
    await serving.close();
    return cost;
  };
  const name = `server: events to ${CLIENTS} clients, of a trivial batched server`;
  return [{ name, figure: "rate", must: 0.6, aim: 0.9, rounds: 3, baseline: trivial, subject: ours }];
}

/** A long log to a client that has nothing of it, against parsing the same log and nothing else. */
function replay(): Comparison[] {
  const COUNT = 100_000;
  const home = openHome(join(temporary().folder, "home"));
  const run = newRun(home, false);
  for (let n = 0; n < COUNT; n += 1000)
    run.log.append(
      Array.from({ length: 1000 }, (_, i) => chunk(`t${i}`)),
      at,
    );
  run.log.close();
  const lines = () => readFileSync(run.eventsPath, "utf8").split("\n");
  let peak = 0;
  const send = async () => {
    const serving = await streamServer(home);
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss - before);
    }, 2);
    const begin = process.cpuUsage();
    const client = await drain(`${serving.url}/runs/${run.id}/stream`, 1);
    await client.until(COUNT);
    const cost = cpuSince(begin);
    clearInterval(watch);
    client.end();
    await serving.close();
    return cost;
  };
  return [
    {
      name: "server: replay of 100k events, of JSON.parse of the log",
      must: 1,
      aim: 0.5,
      baseline() {
        const begin = process.cpuUsage();
        for (const line of lines()) if (line !== "") JSON.parse(line);
        return cpuSince(begin);
      },
      subject: send,
    },
    {
      name: "server: memory of that replay, of 64 MB",
      must: 1,
      aim: 0.25,
      rounds: 1,
      baseline: () => 64 * 1024 * 1024,
      async subject() {
        peak = 0;
        await send();
        return Math.max(peak, 1);
      },
    },
  ];
}

/** A run that talks for a long time, followed live: what of it stays in memory. */
async function growth(): Promise<Comparison[]> {
  const [FIRST, LAST] = [100_000, 1_000_000];
  return [
    {
      name: "server: memory per event from 100k to 1M, of 50 bytes",
      must: 1,
      aim: 0.1,
      rounds: 1,
      baseline: () => 50,
      async subject() {
        const home = openHome(join(temporary().folder, "home"));
        const serving = await streamServer(home);
        const host = fork(join(root, "test/fakes/loud-host.mjs"), [home.root, "t"], { stdio: "inherit" });
        const { id } = await told<{ id: string }>(host);
        const client = await drain(`${serving.url}/runs/${id}/stream`, 1);
        const rssAt = async (events: number, more: number) => {
          host.send({ perSecond: 40_000, bytes: 100, events: more });
          await client.until(events);
          globalThis.gc?.();
          return process.memoryUsage().rss;
        };
        const early = await rssAt(FIRST, FIRST);
        const late = await rssAt(LAST, LAST - FIRST);
        client.end();
        host.send("end");
        await serving.close();
        return Math.max((late - early) / (LAST - FIRST), 0.01);
      },
    },
  ];
}

/** Fifty sessions at once, all of them followed: how long anything else waits for its turn. */
async function busyLoop(): Promise<Comparison[]> {
  const SESSIONS = 50;
  /** How long a timer of 2 ms takes, at worst but for one in a hundred. */
  const delay = async () => {
    const took: number[] = [];
    for (const began = performance.now(); performance.now() - began < 3000; ) {
      const at = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 2));
      took.push(performance.now() - at);
    }
    return took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0;
  };
  const home = openHome(join(temporary().folder, "home"));
  const serving = await streamServer(home);
  return [
    {
      name: "server: loop delay with 50 sessions of 60 events/s, of idle",
      must: 3,
      aim: 1.5,
      rounds: 3,
      baseline: delay,
      async subject() {
        const hosts = Array.from({ length: SESSIONS }, () =>
          fork(join(root, "test/fakes/loud-host.mjs"), [home.root, "t"], { stdio: "inherit" }),
        );
        await Promise.all(hosts.map((host) => told(host)));
        const client = await drain(`${serving.url}/stream`, 1);
        for (const host of hosts) host.send({ perSecond: 60, bytes: 200, untold: true });
        await new Promise((resolve) => setTimeout(resolve, 500));
        const found = await delay();
        client.end();
        await Promise.all(
          hosts.map((host) => {
            const gone = new Promise((resolve) => host.on("exit", resolve));
            host.send("end");
            return gone;
          }),
        );
        return found;
      },
    },
  ];
}

function pages(): Comparison[] {
  const homeAfter = (runs: number) => historyOf(join(temporary().folder, "home"), runs).home;
  const [few, many] = [homeAfter(100), homeAfter(10_000)];
  const cost = (home: Home) => () => {
    const begin = performance.now();
    for (let n = 0; n < 200; n += 1) listRuns(home, { limit: 50 });
    return performance.now() - begin;
  };
  const name = "server: a page of 50 runs from 10,000, of the same from 100";
  return [{ name, must: 1.5, aim: 1.1, baseline: cost(few), subject: cost(many) }];
}
