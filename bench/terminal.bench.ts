import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn as spawnPty } from "@lydell/node-pty";
import { type RawData, WebSocket } from "ws";
import { socketText } from "../src/lib/http/socket-text.ts";
import type { Comparison } from "./compare.ts";
import { cox, root, temporary } from "./scene.ts";

const BURST_BYTES = 100 * 1024 * 1024;
const KEYS = 300;
/** Of the host while 100 MB go through it. */
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
      must: 2,
      aim: 1.5,
      rounds: 5,
      baseline: bridgedEcho,
      subject: () => hosted(folder, ["cat"], ({ ws }) => echoOn(ws)),
    },
    {
      name: "terminal: 100 MB through the host, rate of a bare pty",
      must: 0.3,
      aim: 0.5,
      rounds: 3,
      figure: "rate",
      baseline: () => bareBurst(big),
      subject: () => hosted(folder, ["sh", "-c", `read go; exec cat ${big}`], hostedBurst),
    },
    {
      name: "terminal: PSS of an idle host, of a bare idle node",
      must: 3,
      aim: 2,
      rounds: 3,
      async baseline() {
        const child = spawn("node", ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
        return settled(child);
      },
      subject: () => hosted(folder, ["cat"], async ({ child }) => settled(child)),
    },
  ];
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

/** The least that puts a pty on a WebSocket. */
const BRIDGE = `
const pty = require("@lydell/node-pty").spawn("cat", [], { cols: 200, rows: 50, encoding: null });
const server = new (require("ws").WebSocketServer)({ port: 0, perMessageDeflate: false }, () => console.log(server.address().port));
server.on("connection", (ws) => {
  ws.on("message", (data) => pty.write(JSON.parse(data).text));
  pty.onData((chunk) => ws.send(JSON.stringify({ event: "pty", data: chunk.toString("base64") })));
});`;

async function bridgedEcho(): Promise<number> {
  const child = spawn("node", ["-e", BRIDGE], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  const [port] = await once(child.stdout, "data");
  const ws = new WebSocket(`ws://127.0.0.1:${String(port).trim()}`);
  await once(ws, "open");
  await pause(300);
  try {
    return await echoOn(ws);
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
  const env = { ...process.env, XDG_STATE_HOME: folder, COOP_AUTH_TOKEN: "bench" };
  const child = spawn("node", [cox, "terminal", "--port", "0", "--", ...command], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(child.stdout, "data");
  const { listening }: { listening: string[] } = JSON.parse(String(line));
  const ws = new WebSocket(`${listening[0]?.replace("http", "ws")}/ws?subscribe=pty,state&token=bench`);
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

/** A line too long is not echoed any more, so now and then it is ended. */
async function echoOn(ws: WebSocket): Promise<number> {
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
  return median(times);
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
  console.log(`  (100 MB in ${took.toFixed(0)} ms, at most ${(peak / 1024).toFixed(0)} MB of memory)`);
  return took;
}

async function settled(child: ChildProcess): Promise<number> {
  await pause(2000);
  const size = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/smaps_rollup`, "utf8"))?.[1]);
  child.kill();
  return size;
}
