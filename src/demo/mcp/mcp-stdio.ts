import { spawn } from "node:child_process";
import type { McpServerStdio } from "@agentclientprotocol/sdk";
import { systemClock } from "../../lib/base/clock.ts";
import { LineSplitter } from "../../lib/text/lines.ts";
import { type McpPeer, readReply } from "./mcp-peer.ts";

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** How long a server may take to leave once its stdin is closed. */
const LEAVE_MS = 1000;

export function connectStdio(server: McpServerStdio, signal: AbortSignal): McpPeer {
  const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
  const child = spawn(server.command, server.args, {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
    signal,
    killSignal: "SIGKILL",
  });
  const waiting = new Map<number, Waiting>();
  const splitter = new LineSplitter();
  let lost: Error | undefined;
  let lastId = 0;

  const lose = (error: Error) => {
    lost ??= error;
    for (const { reject } of waiting.values()) reject(lost);
  };
  const exited = new Promise<void>((resolve) => {
    child.on("exit", (code, name) => {
      lose(new Error(`MCP server ${server.name} ended with ${name ?? `code ${code}`}`));
      resolve();
    });
    child.on("error", (error) => {
      lose(new Error(`MCP server ${server.name}: ${error.message}`, { cause: error }));
      if (child.pid === undefined) resolve();
    });
  });
  child.stdin.on("error", lose);
  child.stdout.on("data", (chunk: Buffer) => {
    for (const line of splitter.push(chunk)) {
      const reply = "text" in line ? readReply(line.text) : undefined;
      if (!reply) continue;
      if (reply.error) waiting.get(reply.id)?.reject(new Error(reply.error.message));
      else waiting.get(reply.id)?.resolve(reply.result);
      waiting.delete(reply.id);
    }
  });

  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        if (lost) return reject(lost);
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        send({ id: lastId, method, params });
      }),
    async notify(method) {
      send({ method });
    },
    async close() {
      child.stdin.end();
      await Promise.race([exited, systemClock.sleep(LEAVE_MS)]);
      child.kill("SIGKILL");
      await exited;
    },
  };
}
