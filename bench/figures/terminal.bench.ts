import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn as spawnPty } from "@lydell/node-pty";
import { type RawData, WebSocket } from "ws";
import { socketText } from "../../src/lib/http/socket-text.ts";
import { type Comparison, median, quantile } from "../measure/figure.ts";
import { cox, root, temporary } from "../scenes/scene.ts";

const BURST_BYTES = 40 * 1024 * 1024;
const KEYS = 300;
/** Of the host while the burst goes through it. */
const MOST_RSS_KB = 300 * 1024;

/** What a hosted terminal costs over a bare one. */
export function terminal(): Comparison[] {
  const { folder } = temporary();
  const big = join(folder, "big");
  writeFileSync(
    big,
    Buffer.from("The quick brown fox jumps over the lazy dog. 0123456789 abcdefghij\n".repeat(BURST_BYTES / 67)),
  );
  return [
    {
      // Over a WebSocket between two processes even an echo without a pty takes three times as long as a pty's in one.
      name: "terminal: key to echo, p50, of a bare pty on a bare WebSocket",
      headline: true,
      must: 1.5,
      aim: 1.3,
      rounds: 5,
      baseline: async () => median(await bridgedEchoes()),
      subject: () => hosted(folder, ["cat"], async ({ ws }) => median(await echoesOn(ws))),
    },
    {
      name: "terminal: key to echo, p99",
      headline: true,
      figure: "ms",
      must: 2,
      aim: 2,
      rounds: 5,
      baseline: async () => quantile(await bridgedEchoes(), 0.99),
      subject: () => hosted(folder, ["cat"], async ({ ws }) => quantile(await echoesOn(ws), 0.99)),
    },
    {
      name: "terminal: burst of 40 MB to a client, rate of a bare pty",
      headline: true,
      must: 0.6,
      aim: 0.85,
      rounds: 7,
      figure: "rate",
      baseline: () => bareBurst(big),
      subject: () => hosted(folder, ["sh", "-c", `read go; exec cat ${big}`], hostedBurst),
    },
    {
      name: "terminal: PSS of an idle host, of a bare idle node",
      headline: true,
      must: 1.9,
      aim: 1.6,
      rounds: 3,
      async baseline() {
        const child = spawn("node", ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
        return settled(child);
      },
      subject: () => hosted(folder, ["cat"], async ({ child }) => settled(child)),
    },
    {
      name: "terminal: host, from its start to healthy",
      headline: true,
      figure: "ms",
      must: 150,
      aim: 110,
      rounds: 15,
      baseline: saidByNode,
      subject: () => healthy(folder),
    },
  ];
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The least that puts a pty on a WebSocket. */
const BRIDGE = `
const pty = require("@lydell/node-pty").spawn("cat", [], { cols: 200, rows: 50, encoding: null });
const server = new (require("ws").WebSocketServer)({ port: 0, perMessageDeflate: false }, () => console.log(server.address().port));
server.on("connection", (ws) => {
  ws.on("message", (data) => pty.write(JSON.parse(data).text));
  pty.onData((chunk) => ws.send(JSON.stringify({ event: "pty", data: chunk.toString("base64") })));
});`;

async function bridgedEchoes(): Promise<number[]> {
  const child = spawn("node", ["-e", BRIDGE], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  const [port] = await once(child.stdout, "data");
  const ws = new WebSocket(`ws://127.0.0.1:${String(port).trim()}`);
  await once(ws, "open");
  await pause(300);
  try {
    return await echoesOn(ws);
  } finally {
    ws.terminate();
    child.kill("SIGKILL");
  }
}

async function bareBurst(big: string): Promise<number> {
  const pty = spawnPty("cat", [big], { cols: 200, rows: 50, encoding: null });
  const began = performance.now();
  let bytes = 0;
  await new Promise<void>((resolve) => {
    pty.onData((chunk: string | Uint8Array) => {
      bytes += chunk.length;
    });
    pty.onExit(() => resolve());
  });
  if (bytes < BURST_BYTES * 0.99) throw new Error(`only ${bytes} bytes came`);
  return performance.now() - began;
}

interface Hosted {
  child: ChildProcess;
  ws: WebSocket;
}

async function hosted(folder: string, command: string[], work: (host: Hosted) => Promise<number>): Promise<number> {
  const { child, url } = await startHost(folder, command);
  const ws = new WebSocket(`${url.replace("http", "ws")}/ws?subscribe=pty,state&token=bench`);
  await once(ws, "open");
  await pause(300);
  try {
    return await work({ child, ws });
  } finally {
    ws.terminate();
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

async function startHost(folder: string, command: string[]): Promise<{ child: ChildProcess; url: string }> {
  const env = { ...process.env, XDG_STATE_HOME: folder, COOP_AUTH_TOKEN: "bench" };
  const child = spawn("node", [cox, "terminal", "--port", "0", "--", ...command], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(child.stdout, "data");
  const { listening }: { listening: string[] } = JSON.parse(String(line));
  return { child, url: listening[0] ?? "" };
}

/** It says where it listens once it does; its answer is what counts. */
async function healthy(folder: string): Promise<number> {
  const began = performance.now();
  const { child, url } = await startHost(folder, ["cat"]);
  const { ok, status } = await fetch(`${url}/api/v1/health`);
  const took = performance.now() - began;
  child.kill("SIGTERM");
  await once(child, "exit");
  if (!ok) throw new Error(`the host's health: ${status}`);
  return took;
}

async function saidByNode(): Promise<number> {
  const began = performance.now();
  const child = spawn("node", ["-e", "console.log()"], { stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout, "data");
  const took = performance.now() - began;
  await once(child, "exit");
  return took;
}

/** A line too long is not echoed any more, so now and then it is ended. */
async function echoesOn(ws: WebSocket): Promise<number[]> {
  const times: number[] = [];
  const send = (text: string) => ws.send(JSON.stringify({ event: "input:send", text }));
  for (let key = 0; key < KEYS; key += 1) {
    const began = performance.now();
    const echoed = new Promise<void>((resolve) => {
      const look = (data: RawData) => {
        if (!socketText(data).startsWith('{"event":"pty"')) return;
        ws.off("message", look);
        resolve();
      };
      ws.on("message", look);
    });
    send("x");
    await echoed;
    times.push(performance.now() - began);
    if (key % 50 === 49) {
      send("\r");
      await pause(30);
    }
  }
  return times;
}

async function hostedBurst({ ws, child }: Hosted): Promise<number> {
  const exited = new Promise<void>((resolve) => {
    ws.on("message", (data) => {
      if (socketText(data).startsWith('{"event":"exit"')) resolve();
    });
  });
  const began = performance.now();
  ws.send(JSON.stringify({ event: "input:send", text: "", enter: true }));
  await exited;
  const took = performance.now() - began;
  const peak = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]);
  if (peak > MOST_RSS_KB) throw new Error(`the host took ${peak} KB`);
  return took;
}

async function settled(child: ChildProcess): Promise<number> {
  await pause(2000);
  const size = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/smaps_rollup`, "utf8"))?.[1]);
  child.kill();
  return size;
}
