import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { atEnd, cox } from "./scene.ts";

export interface Serving {
  url: string;
  token: string;
  /** From the start of the process to the line with its address. */
  startMs: number;
  stop(): Promise<void>;
}

/** `cox serve` in a process of its own, on this home. */
export async function serve(home: string): Promise<Serving> {
  const began = performance.now();
  const child = spawn(process.execPath, [cox, "serve", "--no-open", "--port", "0"], {
    env: { ...process.env, COX_HOME: home },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const stopped = atEnd(() => child.kill("SIGKILL"));
  const [line] = await once(child.stdout, "data");
  const startMs = performance.now() - began;
  return {
    url: new URL(String(line).trim()).origin,
    token: readFileSync(join(home, "server-token"), "utf8").trim(),
    startMs,
    async stop() {
      stopped();
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

/** How long until the answer begins. What is small is read to its end; a stream is left. */
export function opened({ url, token }: Serving, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const asked = get(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` }, agent: false });
    asked.on("response", (response) => {
      const took = performance.now() - began;
      if (response.statusCode !== 200) return reject(new Error(`GET ${path}: ${response.statusCode}`));
      response.destroy();
      resolve(took);
    });
    asked.on("error", reject);
  });
}
