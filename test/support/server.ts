import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, finished, type Scene } from "./cox.ts";

export interface RunningServer {
  child: ChildProcess;
  pid: number;
  url: string;
  port: number;
  /** The one-time key of the printed address. */
  key: string;
  token: string;
  /** With the server's own token, and JSON. */
  headers: Record<string, string>;
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<Finished>;
}

/** `cox serve` on a free port, once it has printed its address. It compares each of its answers with the schema. */
export async function startServer(scene: Scene, args: readonly string[] = ["--port", "0"]): Promise<RunningServer> {
  const child = scene.start(["serve", "--no-open", ...args], { env: { COX_CHECK_RESULTS: "1" } });
  const ended = finished(child);
  const address = await Promise.race([firstLine(child), ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  const { origin, port, hash } = new URL(address);
  const token = readFileSync(join(scene.home, "server-token"), "utf8").trim();
  return {
    child,
    pid: child.pid ?? 0,
    url: origin,
    port: Number(port),
    key: hash.replace("#key=", ""),
    token,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    child.stdout?.on("data", (chunk) => {
      text += String(chunk);
      const end = text.indexOf("\n");
      if (end !== -1) resolve(text.slice(0, end));
    });
  });
}
